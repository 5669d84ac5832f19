// Any bytes either throw DataError or give members within the file.
#include "memory_file.h"
#include "portatune/error.h"
#include "portatune/io/tar/tar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  try {
    portatune::io::TarReader reader(file.path());
    while (const auto member = reader.next()) {
      if (reader.read(*member).size() != static_cast<size_t>(member->size)) std::abort();
    }
  } catch (const portatune::DataError&) {
  }
  return 0;
}
