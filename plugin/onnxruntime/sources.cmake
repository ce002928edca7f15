# libirreduce_onnxruntime_ep.so: the execution provider. It needs nothing of ONNX Runtime to build,
# and nothing but libc to run: oneDNN would bring a second thread pool into a stranger's process.
add_library(irreduce_onnxruntime_ep MODULE plugin/onnxruntime/factory.c
  plugin/onnxruntime/operators.c plugin/onnxruntime/kernel.c plugin/onnxruntime/node.c
  plugin/cpu/entry.c src/plan/onednn.c
  $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_kernel>
  $<FILTER:$<TARGET_OBJECTS:irr_plan>,EXCLUDE,/onednn\\.c>)
target_compile_options(irreduce_onnxruntime_ep PRIVATE -UIRREDUCE_HAVE_ONEDNN)
target_compile_definitions(irreduce_onnxruntime_ep PRIVATE IRREDUCE_VERSION="${PROJECT_VERSION}")
target_link_libraries(irreduce_onnxruntime_ep PRIVATE Threads::Threads m)
# nodelete: sessions that live on call into it after it was unregistered.
target_link_options(irreduce_onnxruntime_ep PRIVATE -Wl,-z,nodelete -Wl,--no-undefined
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/plugin/onnxruntime/exports.map)
set_target_properties(irreduce_onnxruntime_ep PROPERTIES
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/plugin/onnxruntime/exports.map)
