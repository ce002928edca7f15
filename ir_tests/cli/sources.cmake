# Tests of the irreduce command.
foreach(name calls run npy)
  add_executable(test_cli_${name} ir_tests/cli/test_${name}.c ir_tests/cli/cli.c
    ir_tests/cli/json_check.c)
  target_compile_definitions(test_cli_${name} PRIVATE
    IRREDUCE_COMMAND="$<TARGET_FILE:irreduce_command>"
    GOOD_MODELS="${CMAKE_SOURCE_DIR}/ir_tests/models/good")
  target_link_libraries(test_cli_${name} PRIVATE cmocka)
  add_dependencies(test_cli_${name} irreduce_command irreduce_cpu_plugin)
  add_test(NAME cli_${name} COMMAND test_cli_${name})
endforeach()
add_test(NAME cli_stranger COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/cli/stranger.sh
  $<TARGET_FILE:irreduce_command> $<TARGET_FILE:irreduce> $<TARGET_FILE:irreduce_cpu_plugin>
  $<TARGET_FILE:irr_stranger_plugin> ${CMAKE_SOURCE_DIR}/ir_tests/models/good/min_drop.xml)
add_test(NAME cli_doctor COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/cli/doctor.sh
  $<TARGET_FILE:irreduce_command> $<TARGET_FILE:irreduce>)
