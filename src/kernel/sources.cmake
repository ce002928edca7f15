# Sources of src/kernel: the pool, the CPU, one object for each ISA with its own flags.
