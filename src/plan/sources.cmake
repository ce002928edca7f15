# Sources of src/plan: geometry, the planner, its backends, the compiled graph, the device's face.
add_library(irr_plan OBJECT
  src/plan/geometry.c
  src/plan/planner.c
  src/plan/steps.c
  src/plan/simd_plan.c
  src/plan/simd_layout.c
  src/plan/simd_join.c
  src/plan/simd_segments.c
  src/plan/simd_memory.c
  src/plan/simd_settle.c
  src/plan/simd_walk.c
  src/plan/backend_simd.c
  src/plan/cut.c
  src/plan/layout.c
  src/plan/layout_tasks.c
  src/plan/exact.c
  src/plan/redo.c
  src/plan/onednn.c
  src/plan/backend_onednn.c
  src/plan/backend_reference.c
  src/plan/properties.c
  src/plan/compiled.c
  src/plan/chains.c
  src/plan/lock.c
  src/plan/plan.c
  src/plan/request.c
  src/plan/explain.c
  src/plan/device.c)
target_compile_definitions(irr_plan PRIVATE IRREDUCE_VERSION="${PROJECT_VERSION}")
# Loops over elements that are no kernels, but may be vectors.
set_source_files_properties(src/plan/redo.c PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")

# The one foreign library of the device: link ${IRR_ONEDNN_LIBRARY} with irr_plan's objects.
set(IRR_ONEDNN_LIBRARY "")
if(IRREDUCE_ONEDNN)
  find_library(DNNL_LIBRARY dnnl)
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h)
  if(NOT DNNL_LIBRARY OR NOT DNNL_INCLUDE_DIR)
    message(FATAL_ERROR "oneDNN is missing: install libdnnl-dev, or configure with -DIRREDUCE_ONEDNN=OFF")
  endif()
  set(IRR_ONEDNN_LIBRARY ${DNNL_LIBRARY})
  set_source_files_properties(src/plan/onednn.c PROPERTIES
    COMPILE_DEFINITIONS IRREDUCE_HAVE_ONEDNN INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
endif()
