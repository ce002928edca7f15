# The doors to OpenVINO: a device, and an extension for OpenVINO's own CPU device. Each is built
# against one release of the wheel and fits that release alone: its soname carries the number.
enable_language(CXX)
set(IRREDUCE_PYTHON "" CACHE FILEPATH "Python with the packages that tests and doors need")
if(NOT OpenVINO_DIR)
  set(IRR_OPENVINO_PYTHON "${IRREDUCE_PYTHON}")
  if(NOT IRR_OPENVINO_PYTHON)
    set(IRR_OPENVINO_PYTHON python3)
  endif()
  execute_process(COMMAND ${IRR_OPENVINO_PYTHON} -c
      "import openvino.utils as u; print(u.get_cmake_path(), end='')"
    OUTPUT_VARIABLE IRR_OPENVINO_CMAKE_PATH ERROR_QUIET)
  set(OpenVINO_DIR "${IRR_OPENVINO_CMAKE_PATH}" CACHE PATH "folder of OpenVINOConfig.cmake" FORCE)
endif()
find_package(OpenVINO QUIET COMPONENTS Runtime)
if(NOT OpenVINO_FOUND)
  message(FATAL_ERROR "OpenVINO is missing: name a Python that has its wheel (pip install openvino) "
    "with -DIRREDUCE_PYTHON=, or the folder of OpenVINOConfig.cmake with -DOpenVINO_DIR=")
endif()
message(STATUS "OpenVINO ${OpenVINO_VERSION}: ${OpenVINO_DIR}")

# The exact build: a host of any other is refused when the door is opened.
try_run(IRR_OPENVINO_RAN IRR_OPENVINO_COMPILED ${CMAKE_BINARY_DIR}/openvino_build
  ${CMAKE_SOURCE_DIR}/plugin/openvino/build_number.cpp LINK_LIBRARIES openvino::runtime
  CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
  COMPILE_OUTPUT_VARIABLE IRR_OPENVINO_LOG RUN_OUTPUT_VARIABLE IRR_OPENVINO_BUILD)
if(NOT IRR_OPENVINO_COMPILED OR NOT IRR_OPENVINO_RAN EQUAL 0)
  message(FATAL_ERROR "a program for OpenVINO does not build or run: ${IRR_OPENVINO_LOG}")
endif()

# What both doors share: the core's objects.
# No oneDNN: it would bring a second thread pool into a stranger's process.
function(irr_openvino_library target source)
  add_library(${target} MODULE ${source} plugin/cpu/entry.c
    src/plan/onednn.c $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_kernel>
    $<FILTER:$<TARGET_OBJECTS:irr_plan>,EXCLUDE,/onednn\\.c>)
  target_link_libraries(${target} PRIVATE openvino::runtime Threads::Threads m)
  target_compile_definitions(${target} PRIVATE IRREDUCE_OPENVINO_BUILD="${IRR_OPENVINO_BUILD}"
    IRREDUCE_OPENVINO_VERSION="${OpenVINO_VERSION}")
  # OpenVINO's exceptions name the source file: from the project's folder on.
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=
    -UIRREDUCE_HAVE_ONEDNN)
  set(map ${CMAKE_SOURCE_DIR}/plugin/openvino/exports.map)
  target_link_options(${target} PRIVATE -Wl,-z,nodelete -Wl,--no-undefined -Wl,--version-script=${map})
  # No RUNPATH: with one, a second libopenvino would be mapped beside the host's, silently.
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map}
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "")
endfunction()

irr_openvino_library(irreduce_openvino_plugin plugin/openvino/device.cpp)
irr_openvino_library(irreduce_openvino_extension plugin/openvino/extension.cpp)
