# Tests.

# The pool; thread starts fail on demand.
add_executable(test_parallel ir_tests/test_parallel.c
  $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_base>)
target_link_libraries(test_parallel PRIVATE cmocka Threads::Threads)
target_link_options(test_parallel PRIVATE -Wl,--wrap=pthread_create)
add_test(NAME parallel COMMAND test_parallel)


# The exact oracle, which shares no code with src/, and its own test.
add_library(irr_oracle OBJECT ir_tests/oracle.c ir_tests/oracle_rules.c ir_tests/oracle_big.c)
add_executable(test_oracle ir_tests/test_oracle.c $<TARGET_OBJECTS:irr_oracle>)
target_link_libraries(test_oracle PRIVATE cmocka m)
add_test(NAME oracle COMMAND test_oracle)

# oneDNN's place; in a build without it, that it declines.
foreach(test IN ITEMS onednn onednn_use)
  add_executable(test_${test} ir_tests/test_${test}.c $<TARGET_OBJECTS:irr_base>
    $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_plan>)
  target_link_libraries(test_${test} PRIVATE cmocka m Threads::Threads ${IRR_ONEDNN_LIBRARY})
  add_test(NAME ${test} COMMAND test_${test})
endforeach()
