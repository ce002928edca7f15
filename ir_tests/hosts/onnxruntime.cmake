# The execution provider in stock ONNX Runtime, from Python and from C.
add_executable(onnxruntime_client ir_tests/hosts/onnxruntime_client.c)
target_link_libraries(onnxruntime_client PRIVATE m ${CMAKE_DL_LIBS} Threads::Threads)
set_target_properties(onnxruntime_client PROPERTIES EXCLUDE_FROM_ALL ON)

foreach(test IN ITEMS random literal node graphs life)
  irr_host_test(onnxruntime_${test} NEEDS irreduce_onnxruntime_ep
    COMMAND onnxruntime_${test}.py --library $<TARGET_FILE:irreduce_onnxruntime_ep>)
endforeach()
irr_host_test(onnxruntime_c NEEDS irreduce_onnxruntime_ep onnxruntime_client
  COMMAND onnxruntime_c.py --library $<TARGET_FILE:irreduce_onnxruntime_ep>
    --client $<TARGET_FILE:onnxruntime_client>)

irr_host_test(onnxruntime_symbols COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/symbols.sh
  $<TARGET_FILE:irreduce_onnxruntime_ep> ${CMAKE_SOURCE_DIR}/plugin/onnxruntime/exports.map)

# What no provider can go below: ours with kernels that do next to nothing.
add_library(onnxruntime_floor MODULE EXCLUDE_FROM_ALL ir_tests/hosts/onnxruntime_floor.c
  plugin/onnxruntime/factory.c plugin/onnxruntime/operators.c plugin/onnxruntime/node.c
  $<TARGET_OBJECTS:irr_base>)
target_include_directories(onnxruntime_floor PRIVATE plugin/onnxruntime)
target_compile_definitions(onnxruntime_floor PRIVATE IRREDUCE_VERSION="${PROJECT_VERSION}")
target_link_libraries(onnxruntime_floor PRIVATE Threads::Threads m)
target_link_options(onnxruntime_floor PRIVATE -Wl,-z,nodelete)
add_dependencies(hosts onnxruntime_floor)
