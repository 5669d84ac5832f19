# Reads tools/lock.txt when the build is configured: only that file has the versions and hashes of downloads. Defines
#   PORTATUNE_VERSION_<name>   the version of each, with underscores in the name: PORTATUNE_VERSION_xla_cpu_pjrt
#   PORTATUNE_PINS             a row of C++ for each: {"libtpu", "0.0.51", "<x86_64>", "<aarch64, or nothing>"},
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/lock.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/lock.txt lines REGEX "^[^#]")
set(PORTATUNE_PINS "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^=]+)==([^ ]+) --hash=sha256:([0-9a-f]+)( --hash=sha256:([0-9a-f]+))?$" is_pin "${line}")
  if(NOT is_pin)
    message(FATAL_ERROR "tools/lock.txt: '${line}' is not NAME==VERSION --hash=sha256:DIGITS, once or twice")
  endif()
  string(REPLACE "-" "_" name ${CMAKE_MATCH_1})
  set(PORTATUNE_VERSION_${name} ${CMAKE_MATCH_2})
  string(APPEND PORTATUNE_PINS
    "{\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\",\n \"${CMAKE_MATCH_3}\",\n \"${CMAKE_MATCH_5}\"},\n")
endforeach()
