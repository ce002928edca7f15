# Tests.

# The pool; thread starts fail on demand.
add_executable(test_parallel ir_tests/test_parallel.c
  $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_base>)
target_link_libraries(test_parallel PRIVATE cmocka m Threads::Threads)
target_link_options(test_parallel PRIVATE -Wl,--wrap=pthread_create)
add_test(NAME parallel COMMAND test_parallel)

# The CPUs it may use, and what waking its threads takes; what control groups allow.
foreach(test IN ITEMS available_cpus control_groups)
  add_executable(test_${test} ir_tests/test_${test}.c
    $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_base>)
  target_link_libraries(test_${test} PRIVATE cmocka m Threads::Threads)
  add_test(NAME ${test} COMMAND test_${test})
endforeach()
set_tests_properties(parallel available_cpus PROPERTIES LABELS threads)

# The exact oracle, which shares no code with src/, and its own test.
add_library(irr_oracle OBJECT ir_tests/oracle.c ir_tests/oracle_rules.c ir_tests/oracle_big.c)
add_executable(test_oracle ir_tests/test_oracle.c $<TARGET_OBJECTS:irr_oracle>)
target_link_libraries(test_oracle PRIVATE cmocka m)
add_test(NAME oracle COMMAND test_oracle)

# What errors say.
add_executable(test_sentences ir_tests/test_sentences.c $<TARGET_OBJECTS:irr_base>)
target_link_libraries(test_sentences PRIVATE cmocka m)
add_test(NAME sentences COMMAND test_sentences)

# oneDNN's place; in a build without it, that it declines.
foreach(test IN ITEMS onednn onednn_use)
  add_executable(test_${test} ir_tests/test_${test}.c ir_tests/failing_memory.c
    $<TARGET_OBJECTS:irr_base>
    $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_plan>)
  target_link_libraries(test_${test} PRIVATE cmocka m Threads::Threads ${IRR_ONEDNN_LIBRARY})
  add_test(NAME ${test} COMMAND test_${test})
endforeach()

# The operations through the wall: against the oracle, with the same bits, at any size.
add_library(irr_cases OBJECT ir_tests/random_cases.c ir_tests/random_data.c ir_tests/device.c
  ir_tests/layers.c)
set(IRR_CASE_TESTS ops siblings chains sharp far large accuracy bounds)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND IRR_CASE_TESTS fp_env) # it sets MXCSR
endif()
foreach(test IN LISTS IRR_CASE_TESTS)
  add_executable(test_${test} ir_tests/test_${test}.c plugin/cpu/entry.c
    $<TARGET_OBJECTS:irr_cases> $<TARGET_OBJECTS:irr_oracle> $<TARGET_OBJECTS:irr_base>
    $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_plan>)
  target_link_libraries(test_${test} PRIVATE cmocka m Threads::Threads ${IRR_ONEDNN_LIBRARY})
  add_test(NAME ${test} COMMAND test_${test})
endforeach()
# long: not every day. large: by name.
set_tests_properties(large PROPERTIES LABELS "large;long" RUN_SERIAL ON)

# The device behind the wall: what it promises beside numbers.
add_library(irr_device_graph OBJECT ir_tests/device_graph.c ir_tests/failing_memory.c)
foreach(test IN ITEMS device device_infer fork finish lines partition straight vnni)
  add_executable(test_${test} ir_tests/test_${test}.c plugin/cpu/entry.c
    $<TARGET_OBJECTS:irr_device_graph> $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_kernel>
    $<TARGET_OBJECTS:irr_plan>)
  target_link_libraries(test_${test} PRIVATE cmocka m Threads::Threads ${IRR_ONEDNN_LIBRARY})
  add_test(NAME ${test} COMMAND test_${test})
endforeach()

# Against NumPy, which is no part of the core suite: registered where a Python that has it is named.
set(IRREDUCE_PYTHON "" CACHE FILEPATH "Python with numpy and ml_dtypes, for the tests labelled numpy")
if(IRREDUCE_PYTHON)
  add_test(NAME numpy COMMAND ${IRREDUCE_PYTHON} ${CMAKE_SOURCE_DIR}/ir_tests/numpy_compare.py
    --command $<TARGET_FILE:irreduce_command>)
  set_tests_properties(numpy PROPERTIES LABELS numpy)
endif()

# Against the programs of ci/peers.txt: registered where that Python has them too.
option(IRREDUCE_PEERS "tests labelled peers; IRREDUCE_PYTHON has what ci/peers.txt names" OFF)
if(IRREDUCE_PEERS)
  set(IRR_PEER_ARGUMENTS_compare --docs ${CMAKE_BINARY_DIR}/peers.md)
  set(IRR_PEER_ARGUMENTS_bad_models --writer $<TARGET_FILE:test_ir_bad>
    --docs ${CMAKE_BINARY_DIR}/peers-checker.md)
  foreach(test IN ITEMS compare good_models saved_models bad_models)
    add_test(NAME peers_${test} COMMAND ${IRREDUCE_PYTHON}
      ${CMAKE_SOURCE_DIR}/ir_tests/peers/${test}.py --command $<TARGET_FILE:irreduce_command>
      ${IRR_PEER_ARGUMENTS_${test}})
    set_tests_properties(peers_${test} PROPERTIES LABELS peers RUN_SERIAL ON)
  endforeach()
endif()

# The public API, on a stranger's device. Linked from objects, so that allocations can fail on
# demand; all of it lies beside plugins.xml, as the library does.
foreach(variant stranger stranger_abi stranger_symbol)
  add_library(irr_${variant}_plugin MODULE ir_tests/stranger_plugin.c)
  target_link_libraries(irr_${variant}_plugin PRIVATE m)
endforeach()
target_compile_definitions(irr_stranger_abi_plugin PRIVATE STRANGER_ABI=99)
target_compile_definitions(irr_stranger_symbol_plugin PRIVATE STRANGER_WITHOUT_SYMBOL)
# The CPU device, with a hook on its allocations and without a map of symbols.
add_library(irr_test_cpu_plugin MODULE ir_tests/cpu_plugin_hook.c ir_tests/failing_memory.c
  plugin/cpu/entry.c
  $<TARGET_OBJECTS:irr_base> $<TARGET_OBJECTS:irr_kernel> $<TARGET_OBJECTS:irr_plan>)
target_link_libraries(irr_test_cpu_plugin PRIVATE Threads::Threads m ${IRR_ONEDNN_LIBRARY})
target_link_options(irr_test_cpu_plugin PRIVATE -Wl,-z,nodelete)
add_library(irr_test_api OBJECT ir_tests/api.c ir_tests/failing_memory.c)
foreach(name shapes registry api async memory misuse)
  add_executable(test_${name} ir_tests/test_${name}.c
    $<TARGET_OBJECTS:irr_test_api> ${IRR_HOST_OBJECTS})
  target_link_libraries(test_${name} PRIVATE cmocka ${IRR_HOST_LIBRARIES})
  add_dependencies(test_${name} irreduce_cpu_plugin irr_stranger_plugin irr_stranger_abi_plugin
    irr_stranger_symbol_plugin)
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS threads)
endforeach()

add_executable(test_memory_models ir_tests/test_memory_models.c
  $<TARGET_OBJECTS:irr_test_api> ${IRR_HOST_OBJECTS})
target_compile_definitions(test_memory_models PRIVATE
  IR_TEST_MODELS="${CMAKE_SOURCE_DIR}/ir_tests/models")
target_link_libraries(test_memory_models PRIVATE cmocka ${IRR_HOST_LIBRARIES})
add_dependencies(test_memory_models irr_test_cpu_plugin)
add_test(NAME memory_models COMMAND test_memory_models)
set_tests_properties(memory_models PROPERTIES TIMEOUT 120)

# The include arrows of the house.
add_test(NAME include_arrows COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/include_arrows.sh ${CMAKE_SOURCE_DIR})

# What the public sees: symbols, headers.
add_test(NAME symbols_host COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/symbols.sh
  $<TARGET_FILE:irreduce> ${CMAKE_SOURCE_DIR}/src/runtime/exports.map
  ${CMAKE_SOURCE_DIR}/include/irreduce/irreduce.h ${CMAKE_C_COMPILER})
add_test(NAME symbols_device COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/symbols.sh
  $<TARGET_FILE:irreduce_cpu_plugin> ${CMAKE_SOURCE_DIR}/plugin/cpu/exports.map)
foreach(header irreduce plugin)
  add_test(NAME header_${header} COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/header_alone.sh
    ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR}/include irreduce/${header}.h)
  set_tests_properties(header_${header} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# What the README shows.
add_test(NAME readme COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/readme.sh ${CMAKE_SOURCE_DIR}
  $<TARGET_FILE_DIR:irreduce_command>)

# The reader: good models, bad ones, hostile files.
add_library(irr_ir_source OBJECT ir_tests/ir_source.c ir_tests/bad_model.c
  ir_tests/failing_memory.c)
target_compile_definitions(irr_ir_source PRIVATE IR_TEST_MODELS="${CMAKE_SOURCE_DIR}/ir_tests/models")
foreach(test IN ITEMS ir_bad ir_files ir_models hostile ir_speed)
  add_executable(test_${test} ir_tests/test_${test}.c $<TARGET_OBJECTS:irr_ir_source>
    $<TARGET_OBJECTS:irr_ir> $<TARGET_OBJECTS:irr_base>)
  target_link_libraries(test_${test} PRIVATE cmocka LibXml2::LibXml2)
  add_test(NAME ${test} COMMAND test_${test})
endforeach()

set_tests_properties(ir_speed PROPERTIES LABELS long)
target_link_options(test_hostile PRIVATE -Wl,--wrap=read -Wl,--wrap=pread)

include(ir_tests/cli/sources.cmake)
include(ir_tests/fuzz/sources.cmake)
include(ir_tests/hosts/sources.cmake)
include(ir_tests/second_reader/sources.cmake)

if(NOT CMAKE_C_FLAGS MATCHES "fsanitize") # strangers' programs are built without
  add_test(NAME install COMMAND ${CMAKE_SOURCE_DIR}/ir_tests/install/run.sh ${CMAKE_BINARY_DIR}
    ${CMAKE_C_COMPILER})
endif()
