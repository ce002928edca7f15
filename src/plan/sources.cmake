# ---- plan: geometry, planner, backends, the compiled graph ----
add_library(irr_plan OBJECT
  src/plan/backend_reference.c)
