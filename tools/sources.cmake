# The irreduce command.
