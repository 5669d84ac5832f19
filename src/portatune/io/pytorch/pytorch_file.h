// Files of torch.save() with a state dict: `pytorch_model.bin`.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portatune/io/file/file.h"
#include "portatune/tensor.h"

namespace portatune::io {

/// A file with tensors that PyTorch has written, as a zip archive (since version 1.6) or in the format before that. Its
/// pickle is data for a reader of a few opcodes: nothing in it is executed. Tensors are mapped, except for those whose
/// elements do not follow each other, which are copied.
class PytorchFile {
 public:
  /// errors    NotFoundError, IoError; those of read_pytorch_tensors(); CheckpointError if the copies would take more
  ///           than twice the size of the file, and more than 64 MB
  static PytorchFile open(const std::filesystem::path& path, FileAccess access = FileAccess::kAuto);

  const std::filesystem::path& path() const { return path_; }
  /// The tensors in the order of the dictionary. They are valid while this object lives, and may be unaligned.
  std::span<const NamedTensorView> tensors() const { return tensors_; }
  /// Call it after reading elements.
  /// errors    as MappedFile::require_whole
  void require_whole() const { file_.require_whole(); }

 private:
  PytorchFile(std::filesystem::path path, MappedFile file);

  std::filesystem::path path_;
  MappedFile file_;
  std::vector<Tensor> copies_;  // tensors that were not contiguous
  std::vector<NamedTensorView> tensors_;
};

}  // namespace portatune::io
