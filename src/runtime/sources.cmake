# Sources of src/runtime.
