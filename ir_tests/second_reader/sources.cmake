# Cases written from the specification alone.
add_executable(test_second_reader ir_tests/second_reader/second_reader.c
  ir_tests/second_reader/tensor.c ir_tests/cli/cli.c ir_tests/cli/json_check.c)
target_compile_definitions(test_second_reader PRIVATE
  IRREDUCE_COMMAND="$<TARGET_FILE:irreduce_command>"
  SECOND_READER_CASES="${CMAKE_CURRENT_SOURCE_DIR}/ir_tests/second_reader/cases.txt")
target_link_libraries(test_second_reader PRIVATE cmocka m)
add_dependencies(test_second_reader irreduce_command irreduce_cpu_plugin)
add_test(NAME second_reader COMMAND test_second_reader)
set_tests_properties(second_reader PROPERTIES TIMEOUT 300) # 480 calls of the command
