# Sources of src/plan.
