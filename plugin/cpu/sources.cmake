# ---- libirreduce_cpu_plugin.so: a module that the host opens by name ----
add_library(irreduce_cpu_plugin MODULE plugin/cpu/entry.c
  $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_plan>)
target_link_libraries(irreduce_cpu_plugin PRIVATE Threads::Threads m ${IRR_ONEDNN_LIBRARY})
# nodelete: the pool's threads outlive every dlclose.
target_link_options(irreduce_cpu_plugin PRIVATE -Wl,-z,nodelete -Wl,--no-undefined
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/plugin/cpu/exports.map)
set_target_properties(irreduce_cpu_plugin PROPERTIES
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/plugin/cpu/exports.map)
