# The packages that the library and the command link. The build finds them, and so does find_package(portatune).
set(PORTATUNE_DEPENDENCIES Threads OpenMP nlohmann_json simdjson fmt CLI11 dnnl PCRE2 yaml-cpp JPEG SPNG WebP ISAL ZLIB
  Minizip Zstd Tcmalloc)
