# Sources of src/kernel: the pool, the CPU, one object for each ISA with its own flags.
add_library(irr_kernel OBJECT
  src/kernel/available_cpus.c src/kernel/cpu.c src/kernel/parallel.c)
target_link_libraries(irr_kernel PUBLIC Threads::Threads)
