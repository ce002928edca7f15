# The irreduce command: the public API alone.
include(tools/plain_read.cmake)
add_executable(irreduce_command
  tools/call_bench.c tools/call_check.c tools/call_devices.c tools/call_doctor.c
  tools/call_explain.c
  tools/call_query.c tools/call_run.c tools/inputs.c tools/json.c tools/main.c tools/npy.c
  tools/options.c tools/problem.c tools/progress.c tools/seed.c
  tools/session.c tools/support.c tools/types.c tools/values.c)
set_target_properties(irreduce_command PROPERTIES OUTPUT_NAME irreduce
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
target_link_libraries(irreduce_command PRIVATE irr_plain_read irreduce Threads::Threads m)
install(TARGETS irreduce_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
