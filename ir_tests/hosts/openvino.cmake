# Tests inside stock OpenVINO: the device, the extension.
irr_host_test(openvino_abi NEEDS irreduce_openvino_plugin COMMAND openvino_abi.py
  $<TARGET_FILE:irreduce_openvino_plugin> ${CMAKE_SOURCE_DIR}/plugin/openvino/openvino_abi.hpp)
irr_host_test(openvino_random NEEDS irreduce_openvino_plugin COMMAND openvino_random.py
  $<TARGET_FILE:irreduce_openvino_plugin>)
foreach(test IN ITEMS openvino_extension openvino_extension_use)
  irr_host_test(${test} NEEDS irreduce_openvino_extension COMMAND ${test}.py
    $<TARGET_FILE:irreduce_openvino_extension>)
endforeach()
irr_host_test(openvino_device NEEDS irreduce_openvino_plugin irreduce_openvino_extension
  COMMAND openvino_device.py $<TARGET_FILE:irreduce_openvino_plugin>
  $<TARGET_FILE:irreduce_openvino_extension>)
