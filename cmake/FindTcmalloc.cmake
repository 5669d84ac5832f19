# Tcmalloc::Tcmalloc, an allocator that replaces malloc in programs that link it. Debian's package has no CMake file.
# TCMALLOC_SHARED_LIBRARY is the same allocator for programs that load it with LD_PRELOAD, or not found.
find_library(TCMALLOC_LIBRARY libtcmalloc_minimal.a)
find_library(TCMALLOC_SHARED_LIBRARY libtcmalloc_minimal.so.4)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Tcmalloc REQUIRED_VARS TCMALLOC_LIBRARY)
if(Tcmalloc_FOUND AND NOT TARGET Tcmalloc::Tcmalloc)
  add_library(Tcmalloc::Tcmalloc UNKNOWN IMPORTED)
  set_target_properties(Tcmalloc::Tcmalloc PROPERTIES IMPORTED_LOCATION ${TCMALLOC_LIBRARY})
endif()
