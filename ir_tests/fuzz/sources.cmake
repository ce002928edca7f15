# The fuzz targets. Every day each is replayed, without a fuzzer, over the good and bad models and over
# what fuzzing has found (corpus/); the preset "fuzz" (clang) builds them with libFuzzer for run.sh.
option(IRREDUCE_FUZZ "build the fuzz targets with libFuzzer (clang; use the preset fuzz)" OFF)

add_executable(fuzz_seeds ir_tests/fuzz/seeds.c $<TARGET_OBJECTS:irr_ir_source>
  $<TARGET_OBJECTS:irr_ir> $<TARGET_OBJECTS:irr_base>)
target_compile_definitions(fuzz_seeds PRIVATE IR_TEST_MODELS="${CMAKE_SOURCE_DIR}/ir_tests/models")
target_link_libraries(fuzz_seeds PRIVATE cmocka LibXml2::LibXml2)
set(IRR_FUZZ_SEEDS ${CMAKE_BINARY_DIR}/fuzz_seeds_made)
add_test(NAME fuzz_seeds COMMAND fuzz_seeds ${IRR_FUZZ_SEEDS})
set_tests_properties(fuzz_seeds PROPERTIES FIXTURES_SETUP fuzz_seeds)

add_library(irr_fuzz OBJECT ir_tests/fuzz/fuzz.c)
set(IRR_FUZZ_npy tools/npy.c tools/support.c tools/types.c tools/session.c tools/inputs.c
  tools/options.c tools/progress.c tools/seed.c)
foreach(target IN ITEMS xml weights check npy run)
  set(sources ir_tests/fuzz/fuzz_${target}.c ${IRR_FUZZ_${target}} $<TARGET_OBJECTS:irr_fuzz>
    ${IRR_HOST_OBJECTS})
  add_executable(replay_${target} ir_tests/fuzz/replay.c ${sources})
  target_link_libraries(replay_${target} PRIVATE ${IRR_HOST_LIBRARIES})
  set(kept ${CMAKE_SOURCE_DIR}/ir_tests/fuzz/corpus/${target})
  set(seeds ${IRR_FUZZ_SEEDS}/models)
  if(target STREQUAL "npy")
    set(seeds ${IRR_FUZZ_SEEDS}/npy)
  endif()
  add_test(NAME fuzz_${target} COMMAND replay_${target} ${seeds} ${kept})
  set_tests_properties(fuzz_${target} PROPERTIES FIXTURES_REQUIRED fuzz_seeds TIMEOUT 120)
  if(IRREDUCE_FUZZ)
    add_executable(fuzz_${target} ${sources})
    if(NOT target STREQUAL "npy")
      target_sources(fuzz_${target} PRIVATE ir_tests/fuzz/mutate.c)
    endif()
    target_link_libraries(fuzz_${target} PRIVATE ${IRR_HOST_LIBRARIES})
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
add_dependencies(replay_run irr_test_cpu_plugin)
if(IRREDUCE_FUZZ)
  # The kernels take minutes to compile with all that; what they do is the other tests' work.
  foreach(tier IN LISTS IRR_TIERS)
    set_property(SOURCE src/kernel/isa_${tier}.c APPEND PROPERTY
      COMPILE_OPTIONS -fno-sanitize=undefined,fuzzer-no-link)
  endforeach()
  add_dependencies(fuzz_run irr_test_cpu_plugin)
  add_custom_target(fuzz_targets DEPENDS fuzz_seeds fuzz_xml fuzz_weights fuzz_check fuzz_npy fuzz_run)
endif()
