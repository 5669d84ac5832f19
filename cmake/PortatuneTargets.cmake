# portatune_library(NAME SOURCES a.cpp ... USES portatune_x ... [PRIVATE_USES lib ...])
#   a static library portatune_NAME of one folder. USES says what its headers and sources may include, with all that those
#   use; the rest does not link, so that the build objects to a step upwards in ARCHITECTURE.md.
function(portatune_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(portatune_${name} STATIC ${arg_SOURCES})
  target_include_directories(portatune_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(portatune_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} portatune_warnings)
endfunction()

# portatune_test(NAME SOURCES a_test.cpp ... USES portatune_x ...)
#   a GoogleTest program; each of its tests becomes a ctest entry.
function(portatune_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE PORTATUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(${name}_test PRIVATE ${arg_USES} GTest::gtest_main GTest::gmock portatune_warnings)
  add_test(NAME ${name} COMMAND ${name}_test)
endfunction()

# portatune_command(NAME SOURCES task.cpp ...)
#   the command `portatune` under another name, with the tasks that these files add to it (portatune/command.h).
function(portatune_command name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE portatune_main portatune_cli nlohmann_json::nlohmann_json portatune_warnings)
  # Its plugins use it, too: see docs/adr/0018-allocator.md. Sanitizers have one of their own.
  if(NOT PORTATUNE_FUZZ)
    target_link_libraries(${name} PRIVATE Tcmalloc::Tcmalloc)
  endif()
endfunction()
