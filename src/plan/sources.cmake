# Sources of src/plan: geometry, the planner, its backends, the compiled graph, the device's face.
add_library(irr_plan OBJECT
  src/plan/geometry.c
  src/plan/planner.c
  src/plan/steps.c
  src/plan/backend_simd.c
  src/plan/redo.c
  src/plan/backend_reference.c
  src/plan/writer.c
  src/plan/properties.c
  src/plan/compiled.c
  src/plan/plan.c
  src/plan/strided.c
  src/plan/request.c
  src/plan/explain.c
  src/plan/device.c)
target_compile_definitions(irr_plan PRIVATE IRREDUCE_VERSION="${PROJECT_VERSION}")
