# Sources of src/kernel: the pool, the CPU, one object for each ISA with its own flags.
set(IRR_TIERS scalar)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND IRR_TIERS avx2 avx512)
  set(variants avx512_vnni)
endif()
set(IRR_POOL src/kernel/available_cpus.c src/kernel/bell.c src/kernel/cpu.c src/kernel/parallel.c
  src/kernel/shares.c src/kernel/trial.c)
add_library(irr_kernel OBJECT ${IRR_POOL} src/kernel/kernels.c)
# Sanitizers see every tier's addresses, and undefined behaviour in the scalar one, whose text is the
# same but for columns of wide sums: all of it in all tiers takes the compilers longer than every test.
set(slim "$<$<CONFIG:Debug>:-O1>" -fno-sanitize=undefined)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  list(APPEND slim --param=asan-instrumentation-with-call-threshold=0)
elseif(IRREDUCE_FUZZ)
  list(APPEND slim -fno-sanitize=all)
endif()
set(slim_scalar "$<$<CONFIG:Debug>:-O1>")
set(slim_avx2 ${slim})
set(slim_avx512 ${slim})
set(slim_avx512_vnni ${slim})
foreach(tier IN LISTS IRR_TIERS variants)
  target_sources(irr_kernel PRIVATE src/kernel/isa_${tier}.c)
  # -Wno-psabi: vectors never cross a call between files. -Wno-unused-parameter: loops hand their
  # states more than most look at. No link-time optimisation: a tier's instructions stay in its file.
  set_source_files_properties(src/kernel/isa_${tier}.c PROPERTIES
    COMPILE_OPTIONS "${IRR_ISA_${tier}};-Wno-psabi;-Wno-unused-parameter;-fno-lto;${slim_${tier}}")
endforeach()
target_link_libraries(irr_kernel PUBLIC Threads::Threads)
