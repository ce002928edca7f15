# Sources of src/runtime, and libirreduce.so itself: base + ir + runtime.
add_library(irr_runtime OBJECT
  src/runtime/async.c src/runtime/compiled_model.c src/runtime/core.c
  src/runtime/device.c src/runtime/guard.c src/runtime/infer_request.c src/runtime/message.c
  src/runtime/model.c src/runtime/port.c src/runtime/profile.c src/runtime/property.c
  src/runtime/registry.c src/runtime/shape.c src/runtime/tensor.c)
target_link_libraries(irr_runtime PUBLIC LibXml2::LibXml2 Threads::Threads)
target_compile_definitions(irr_runtime PRIVATE IRREDUCE_VERSION="${PROJECT_VERSION}")

set(IRR_HOST_OBJECTS
  $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_ir> $<TARGET_OBJECTS:irr_runtime>)
set(IRR_HOST_LIBRARIES LibXml2::LibXml2 Threads::Threads ${CMAKE_DL_LIBS} m)

# nodelete: request threads outlive every dlclose.
add_library(irreduce SHARED ${IRR_HOST_OBJECTS})
target_link_libraries(irreduce PRIVATE ${IRR_HOST_LIBRARIES})
target_include_directories(irreduce INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(irreduce PRIVATE -Wl,-z,nodelete -Wl,--no-undefined
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/runtime/exports.map)
set_target_properties(irreduce PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/runtime/exports.map)

# Beside the library in the build tree, too, so that the command runs from there.
configure_file(${CMAKE_SOURCE_DIR}/src/runtime/plugins.xml ${CMAKE_BINARY_DIR}/plugins.xml COPYONLY)
