# Benchmarks: the public API, the peers that the bench itself links, and the pool (region.c).
# The plain loops get what a user who knows his machine would give them.
add_library(irr_bench_loop OBJECT bench/peer_loop.c)
target_compile_options(irr_bench_loop PRIVATE -O3 -march=native -ffast-math)
add_library(irr_bench_loop_o2 OBJECT bench/peer_loop.c)
target_compile_options(irr_bench_loop_o2 PRIVATE -O2)
target_compile_definitions(irr_bench_loop_o2 PRIVATE peer_loop=peer_loop_o2)

add_executable(irreduce_bench
  bench/cases.c bench/compare.c bench/compile.c bench/irreduce_bench.c bench/library.c
  bench/measure.c bench/neighbour.c bench/pairs.c
  bench/onnx_model.c bench/peer_irreduce.c bench/peer_onednn.c bench/peer_onnxruntime.c
  bench/peer_openvino.c bench/peer_read.c bench/region.c bench/table.c bench/tiers.c bench/verify.c
  tools/inputs.c tools/json.c tools/npy.c tools/options.c tools/problem.c tools/progress.c
  tools/seed.c tools/session.c tools/support.c tools/types.c
  ${IRR_POOL} $<TARGET_OBJECTS:irr_bench_loop> $<TARGET_OBJECTS:irr_bench_loop_o2>
  $<TARGET_OBJECTS:irr_base>)
target_include_directories(irreduce_bench PRIVATE src)
target_link_libraries(irreduce_bench PRIVATE irr_plain_read irreduce Threads::Threads
  ${CMAKE_DL_LIBS} m)
add_dependencies(irreduce_bench irreduce_cpu_plugin) # which it opens by name
if(IRREDUCE_ONEDNN)
  set_source_files_properties(bench/peer_onednn.c PROPERTIES
    COMPILE_DEFINITIONS IRREDUCE_HAVE_ONEDNN INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
  target_link_libraries(irreduce_bench PRIVATE ${IRR_ONEDNN_LIBRARY} gomp)
endif()

# Not its times, but that every answer it times is right.
if(IRREDUCE_TESTS)
  add_test(NAME bench COMMAND irreduce_bench --tiers --ops all --rounds 1)
  add_test(NAME bench_table COMMAND irreduce_bench --rounds 1 --threads 1,2
    --problem "mean f32 [33,77,129] axes [1]" --problem "l1 f16 [7,13,17,19] axes [0,2]"
    --problem "prod i64 [5,323] axes [1]" --problem "or boolean [128,49] axes [1]"
    --problem "sum+l2 bf16 [64,3,11,2] axes [0,2]")
  add_test(NAME bench_compare COMMAND irreduce_bench --rounds 1 --threads 2
    --problem "max u8 [300,1000] axes [1]" --compare $<TARGET_FILE:irreduce_cpu_plugin>)
endif()
