# Tests inside stock OpenVINO: the device, the extension.
irr_host_test(openvino_abi NEEDS irreduce_openvino_plugin COMMAND openvino_abi.py
  $<TARGET_FILE:irreduce_openvino_plugin> ${CMAKE_SOURCE_DIR}/plugin/openvino/openvino_abi.hpp)
irr_host_test(openvino_random NEEDS irreduce_openvino_plugin COMMAND openvino_random.py
  $<TARGET_FILE:irreduce_openvino_plugin>)
foreach(test IN ITEMS openvino_extension openvino_extension_use)
  irr_host_test(${test} NEEDS irreduce_openvino_extension COMMAND ${test}.py
    $<TARGET_FILE:irreduce_openvino_extension>)
endforeach()
irr_host_test(openvino_among_others NEEDS irreduce_openvino_plugin irreduce_openvino_extension
  COMMAND openvino_among_others.py $<TARGET_FILE:irreduce_openvino_plugin>
  $<TARGET_FILE:irreduce_openvino_extension>)
foreach(test IN ITEMS openvino_device openvino_running openvino_life)
  irr_host_test(${test} NEEDS irreduce_openvino_plugin COMMAND ${test}.py
    $<TARGET_FILE:irreduce_openvino_plugin>)
endforeach()

# Programs against the wheel's public C and C++ APIs.
add_executable(openvino_client EXCLUDE_FROM_ALL ir_tests/hosts/openvino_client.c)
target_link_libraries(openvino_client PRIVATE openvino::runtime::c)
add_executable(openvino_client_cpp EXCLUDE_FROM_ALL ir_tests/hosts/openvino_client.cpp)
set_target_properties(openvino_client_cpp PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
target_link_libraries(openvino_client_cpp PRIVATE openvino::runtime Threads::Threads)
foreach(program IN ITEMS openvino_client openvino_client_cpp)
  irr_host_test(${program} NEEDS irreduce_openvino_plugin ${program} COMMAND ${program}
    $<TARGET_FILE:irreduce_openvino_plugin>)
endforeach()
