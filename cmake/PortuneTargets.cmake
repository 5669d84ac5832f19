# portune_library(NAME SOURCES a.cpp ... USES portune_x ... [PRIVATE_USES lib ...])
#   a static library portune_NAME of one folder. USES says what its headers and sources may include, with all that those
#   use; the rest does not link, so that the build objects to a step upwards in ARCHITECTURE.md.
function(portune_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(portune_${name} STATIC ${arg_SOURCES})
  target_include_directories(portune_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(portune_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} portune_warnings)
endfunction()

# portune_test(NAME SOURCES a_test.cpp ... USES portune_x ...)
#   a GoogleTest program; each of its tests becomes a ctest entry.
function(portune_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE PORTUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(${name}_test PRIVATE ${arg_USES} GTest::gtest_main GTest::gmock portune_warnings)
  add_test(NAME ${name} COMMAND ${name}_test)
endfunction()

# portune_command(NAME SOURCES task.cpp ...)
#   the command `portune` under another name, with the tasks that these files add to it (portune/command.h).
function(portune_command name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE portune_main portune_cli nlohmann_json::nlohmann_json portune_warnings)
  # Its plugins use it, too: see docs/adr/0018-allocator.md. Sanitizers have one of their own.
  if(NOT PORTUNE_FUZZ)
    target_link_libraries(${name} PRIVATE Tcmalloc::Tcmalloc)
  endif()
endfunction()
