# The sources of a folder are compiled together (a unity build), which takes a third to half of the time, because they
# share most headers. Who changes one source again and again may turn it off.
option(PORTATUNE_UNITY "Compile the sources of a folder together" ON)

# portatune_unity(TARGET)
#   compiles the sources of each folder of a target together: for each folder, a source that includes them. Call it where
#   the target has all of its sources. Sources with compile options or definitions of their own are compiled alone, as
#   are those of targets outside of src/ and tests/.
#   CMake's UNITY_BUILD would include absolute paths, with which ccache finds no objects of another clone. The sources
#   that include others are at the top of the build folder: there they have the same paths if another project adds this
#   one.
function(portatune_unity target)
  if(NOT PORTATUNE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    if(NOT options AND NOT definitions AND path MATCHES "^(src|tests)/((.*)/[^/]+[.]cpp)$")
      string(MAKE_C_IDENTIFIER ${CMAKE_MATCH_3} folder)
      list(APPEND folders ${folder})
      string(APPEND includes_${folder} "#include \"${CMAKE_MATCH_2}\"\n")
      set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(unity ${CMAKE_BINARY_DIR}/unity/${target}/${folder}.cpp)
    file(CONFIGURE OUTPUT ${unity} CONTENT "${includes_${folder}}" @ONLY)
    target_sources(${target} PRIVATE ${unity})
  endforeach()
  # GCC warns of members whose types are in unnamed namespaces of a source that another one includes.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# portatune_library(NAME SOURCES a.cpp ... USES portatune_x ... [PRIVATE_USES lib ...] [EACH_ALONE])
#   a static library portatune_NAME of one folder. USES says what its headers and sources may include, with all that those
#   use; the rest does not link, so that the build objects to a step upwards in ARCHITECTURE.md. EACH_ALONE compiles each
#   source alone.
function(portatune_library name)
  cmake_parse_arguments(arg "EACH_ALONE" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(portatune_${name} STATIC ${arg_SOURCES})
  target_include_directories(portatune_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(portatune_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE_USES} portatune_warnings)
  if(NOT arg_EACH_ALONE)
    portatune_unity(portatune_${name})
  endif()
  set_target_properties(portatune_${name} PROPERTIES PORTATUNE_USES "${arg_USES};${arg_PRIVATE_USES}")
  set_property(GLOBAL APPEND PROPERTY PORTATUNE_LIBRARIES portatune_${name})
endfunction()

# portatune_archive(NAME AS portatune::NAME OF portatune_x ... [SOURCES a.cpp ...])
#   a static library for programs outside of this repository: the objects of several portatune_library()s, with the
#   system's libraries that these use.
function(portatune_archive target)
  cmake_parse_arguments(arg "" "AS" "OF;SOURCES" ${ARGN})
  list(TRANSFORM arg_OF REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${target} STATIC ${arg_SOURCES} ${objects})
  add_library(${arg_AS} ALIAS ${target})
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  foreach(library IN LISTS arg_OF)
    get_target_property(uses ${library} PORTATUNE_USES)
    list(APPEND all_uses ${uses})
  endforeach()
  list(REMOVE_DUPLICATES all_uses)
  foreach(library IN LISTS all_uses)
    # The libraries of this build are part of an archive, and headers are needed only to compile it.
    set(is_system_library TRUE)
    if(TARGET ${library})
      get_target_property(is_system_library ${library} IMPORTED)
    endif()
    if(is_system_library)
      target_link_libraries(${target} INTERFACE $<LINK_ONLY:${library}>)
    endif()
  endforeach()
endfunction()

# For ENVIRONMENT of a test that compiles many small programs with XLA: a sixth of the time of compilation. Tests of
# packages, of Python and of examples compile as users do. The plugins of TPU and CUDA do not know all of these flags.
string(JOIN " " PORTATUNE_FAST_XLA "XLA_FLAGS=--xla_backend_optimization_level=0"
  --xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1)

# portatune_test(NAME SOURCES a_test.cpp ... USES portatune_x ... [SHARDS n] [ENVIRONMENT NAME=VALUE ...])
#   a GoogleTest program NAME_test. ctest runs it as one entry, NAME, or as n entries, NAME.1, NAME.2, ..., of an nth of
#   its tests each, so that a long program uses all cores. ctest starts shards before other tests, because they take the
#   longest.
function(portatune_test name)
  cmake_parse_arguments(arg "" "SHARDS" "SOURCES;USES;ENVIRONMENT" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  portatune_unity(${name}_test)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE PORTATUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(${name}_test PRIVATE ${arg_USES} GTest::gtest_main GTest::gmock portatune_warnings
    portatune_test_options)
  if(TARGET portatune_test_headers)
    target_precompile_headers(${name}_test REUSE_FROM portatune_test_headers)
  endif()
  set(environment ${PORTATUNE_TEST_ENVIRONMENT} ${arg_ENVIRONMENT})
  if(NOT arg_SHARDS)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
    return()
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}.${shard} COMMAND ${name}_test)
    set_tests_properties(${name}.${shard} PROPERTIES COST 1000
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
