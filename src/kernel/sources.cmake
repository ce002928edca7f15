# Sources of src/kernel.
