// Any bytes either throw CheckpointError or give tensors whose elements can be read.
#include "portatune/error.h"
#include "portatune/io/pytorch/pytorch_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxBytes = 1 << 20;  // elements may overlap, so a tensor may be larger than the file
  try {
    const std::span file(reinterpret_cast<const std::byte*>(data), size);
    for (const auto& [name, tensor] : portatune::io::read_pytorch_tensors(file, "fuzz")) {
      if (tensor.type.bytes() <= kMaxBytes) portatune::io::gather(tensor);
    }
  } catch (const portatune::CheckpointError&) {
  }
  return 0;
}
