# The CPU device library.
