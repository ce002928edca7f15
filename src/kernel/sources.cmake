# Sources of src/kernel: the pool, the CPU, one object for each ISA with its own flags.
set(IRR_TIERS scalar)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND IRR_TIERS avx2 avx512)
endif()
add_library(irr_kernel OBJECT
  src/kernel/available_cpus.c src/kernel/cpu.c src/kernel/parallel.c src/kernel/kernels.c)
foreach(tier IN LISTS IRR_TIERS)
  target_sources(irr_kernel PRIVATE src/kernel/isa_${tier}.c)
  # -Wno-psabi: vectors never cross a call between files. No link-time optimisation: a tier's
  # instructions stay in its file.
  set_source_files_properties(src/kernel/isa_${tier}.c PROPERTIES
    COMPILE_OPTIONS "${IRR_ISA_${tier}};-Wno-psabi;-fno-lto")
endforeach()
target_link_libraries(irr_kernel PUBLIC Threads::Threads)
