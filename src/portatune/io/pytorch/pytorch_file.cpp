#include "portatune/io/pytorch/pytorch_file.h"

#include <algorithm>
#include <utility>

#include "portatune/error.h"
#include "portatune/io/pytorch/pytorch_formats.h"

namespace portatune::io {
namespace {

// Limit for the copies of small files. Elements may overlap, so copies may be larger than the file.
constexpr int64_t kMinCopyBytes = 64 << 20;

}  // namespace

PytorchFile PytorchFile::open(const std::filesystem::path& path, FileAccess access) {
  return PytorchFile(path, MappedFile::open(path, access));
}

PytorchFile::PytorchFile(std::filesystem::path path, MappedFile file) : path_(std::move(path)), file_(std::move(file)) {
  int64_t budget = std::max(2 * std::ssize(file_.bytes()), kMinCopyBytes);
  for (auto& [name, tensor] : read_pytorch_tensors(file_.bytes(), path_.string())) {
    if (is_contiguous(tensor)) {
      tensors_.push_back({std::move(name), {std::move(tensor.type), tensor.data}});
      continue;
    }
    budget -= std::min(tensor.type.bytes(), budget + 1);
    if (budget < 0) {
      throw CheckpointError({.where = path_.string(),
                             .given = "views of more elements than the file has",
                             .expected = "at most twice as many"});
    }
    copies_.push_back(gather(tensor));
    tensors_.push_back({std::move(name), copies_.back().view()});
  }
}

}  // namespace portatune::io
