# The one ISA table: tier, and the flags that its kernel file alone is compiled with.
set(IRR_ISA_scalar -O3 -fno-math-errno)
set(IRR_ISA_avx2 -O3 -fno-math-errno -mavx2 -mfma -mf16c -mbmi2)
set(IRR_ISA_avx512 -O3 -fno-math-errno -mavx2 -mfma -mf16c -mbmi2
    -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
# gcc shuffles loads on their way to assembly, which prefetchers then do not follow: columns out of
# the second cache took up to 1.3x as long (Zen 5). Processors that start instructions out of order
# need no other order than the source's.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Loops over columns that are made one with the next rows' read 16 streams: up to 3x as long.
    # Loops of few instructions that do not lie in one line: up to 1.9x (Zen 4).
    list(APPEND IRR_ISA_scalar -fno-loop-unroll-and-jam -falign-loops=32)
    list(APPEND IRR_ISA_avx2 -fno-schedule-insns2)
    list(APPEND IRR_ISA_avx512 -fno-schedule-insns2)
endif()
set(IRR_ISA_avx512_vnni ${IRR_ISA_avx512} -mavx512vnni)
