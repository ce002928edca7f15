# Sources of src/plan: geometry, the planner, its backends.
add_library(irr_plan OBJECT
  src/plan/geometry.c
  src/plan/backend_simd.c
  src/plan/redo.c
  src/plan/backend_reference.c)
