# Installation: headers, both libraries, plugins.xml beside them, the command, pkg-config and
# find_package(irreduce). Everything is found from where it lies, so the tree may be moved.
include(CMakePackageConfigHelpers)

set_target_properties(irreduce PROPERTIES
  INSTALL_RPATH "" PUBLIC_HEADER "include/irreduce/irreduce.h;include/irreduce/plugin.h")
install(TARGETS irreduce EXPORT irreduce
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/irreduce)
install(FILES src/runtime/plugins.xml DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(library irreduce_cpu_plugin irreduce_openvino_plugin irreduce_openvino_extension
    irreduce_onnxruntime_ep)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

set(IRR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/irreduce)
install(EXPORT irreduce NAMESPACE irreduce:: FILE irreduceConfig.cmake
  DESTINATION ${IRR_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/irreduceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/irreduceConfigVersion.cmake DESTINATION ${IRR_PACKAGE_DIR})

# ${pcfiledir} keeps the prefix right after the tree has been moved.
file(RELATIVE_PATH IRR_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/irreduce.pc.in ${CMAKE_BINARY_DIR}/irreduce.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/irreduce.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
