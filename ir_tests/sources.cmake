# Tests.

# The pool; thread starts fail on demand.
add_executable(test_parallel ir_tests/test_parallel.c $<TARGET_OBJECTS:irr_kernel>)
target_link_libraries(test_parallel PRIVATE cmocka Threads::Threads)
target_link_options(test_parallel PRIVATE -Wl,--wrap=pthread_create)
add_test(NAME parallel COMMAND test_parallel)
