# The one ISA table: tier, and the flags that its kernel file alone is compiled with.
set(IRR_ISA_scalar -O3 -fno-tree-vectorize -fno-tree-slp-vectorize -fno-math-errno)
set(IRR_ISA_avx2 -O3 -fno-math-errno -mavx2 -mfma -mf16c -mbmi2)
set(IRR_ISA_avx512 -O3 -fno-math-errno -mavx2 -mfma -mf16c -mbmi2
    -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
set(IRR_ISA_avx512_vnni ${IRR_ISA_avx512} -mavx512vnni)
