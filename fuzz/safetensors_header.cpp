// Any bytes either throw CheckpointError or give tensors within the file.
#include "portatune/io/safetensors/safetensors_header.h"

#include <cstdlib>

#include "portatune/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    int64_t end = 0;
    for (const auto& entry : portatune::io::parse_safetensors_header(file, "fuzz").entries) {
      if (end != 0 && entry.offset != end) std::abort();
      end = entry.offset + entry.type.bytes();
      if (entry.type.bytes() < 0 || end > static_cast<int64_t>(size)) std::abort();
    }
    if (end != 0 && end != static_cast<int64_t>(size)) std::abort();
  } catch (const portatune::CheckpointError&) {
  }
  return 0;
}
