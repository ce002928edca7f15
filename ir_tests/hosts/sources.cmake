# Tests inside stock hosts. They are registered where IRREDUCE_PYTHON has the wheels; the target
# `hosts` builds what they need and nothing else.
add_custom_target(hosts)

# irr_host_test(name [NEEDS target...] COMMAND program argument...): a script ending in .py stands
# in ir_tests/hosts and runs with that Python.
function(irr_host_test name)
  if(NOT IRREDUCE_PYTHON)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "" "NEEDS;COMMAND")
  list(GET TEST_COMMAND 0 program)
  if(program MATCHES "\\.py$")
    list(POP_FRONT TEST_COMMAND)
    list(PREPEND TEST_COMMAND ${IRREDUCE_PYTHON} ${CMAKE_SOURCE_DIR}/ir_tests/hosts/${program})
  endif()
  add_test(NAME hosts_${name} COMMAND ${TEST_COMMAND})
  set_tests_properties(hosts_${name} PROPERTIES LABELS hosts)
  if(TEST_NEEDS)
    add_dependencies(hosts ${TEST_NEEDS})
  endif()
endfunction()

if(IRREDUCE_OPENVINO)
  include(ir_tests/hosts/openvino.cmake OPTIONAL)
endif()
if(IRREDUCE_ONNXRUNTIME)
  include(ir_tests/hosts/onnxruntime.cmake)
endif()
if(IRREDUCE_OPENVINO AND IRREDUCE_ONNXRUNTIME)
  irr_host_test(doctor NEEDS irreduce_command irreduce_openvino_plugin irreduce_openvino_extension
    irreduce_onnxruntime_ep COMMAND $<TARGET_FILE:irreduce_command> doctor --python ${IRREDUCE_PYTHON})
  # The table's script, no longer than to see it work.
  add_library(time_calls MODULE EXCLUDE_FROM_ALL ir_tests/hosts/time_calls.c)
  irr_host_test(speed NEEDS time_calls COMMAND speed.py ${CMAKE_BINARY_DIR} --rounds 1)
  if(NOT OpenVINO_VERSION VERSION_LESS 2026) # it builds anew: once is enough
    irr_host_test(documented NEEDS irreduce_openvino_plugin irreduce_openvino_extension
      irreduce_onnxruntime_ep COMMAND documented.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    if(TEST hosts_documented)
      set_tests_properties(hosts_documented PROPERTIES TIMEOUT 900)
    endif()
  endif()
endif()
