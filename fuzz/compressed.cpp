// Any bytes decompress to at most 16 MB or throw DataError.
#include "memory_file.h"
#include "portatune/error.h"
#include "portatune/io/compress/decompress.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  try {
    portatune::io::read_decompressed(file.path(), 16 << 20);
  } catch (const portatune::DataError&) {
  }
  return 0;
}
