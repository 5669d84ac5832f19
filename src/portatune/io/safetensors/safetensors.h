// The safetensors format: a JSON header that names tensors, then their bytes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file.h"
#include "portatune/tensor.h"

namespace portatune::io {

/// The header's entry for one tensor.
struct SafetensorsEntry {
  std::string name;
  TensorType type;
  int64_t offset = 0;  ///< offset of the first element from the start of the file, in bytes
};

/// Free text in a file. transformers requires {"format": "pt"}.
using SafetensorsMetadata = std::map<std::string, std::string>;

/// A safetensors file, mapped and not copied. Opening checks the complete header; nothing checks the elements.
class SafetensorsFile {
 public:
  using Entry = SafetensorsEntry;

  /// errors    NotFoundError, IoError; CheckpointError with file and tensor if the file violates the format or has an
  ///           unsupported element type
  /// source    https://github.com/huggingface/safetensors, section Format
  static SafetensorsFile open(const std::filesystem::path& path, FileAccess access = FileAccess::kAuto);

  const std::filesystem::path& path() const { return path_; }
  /// The entries in the order of their elements in the file.
  std::span<const Entry> entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  /// The elements, valid while this object lives. They may be unaligned; write_safetensors aligns most tensors.
  TensorView view(const Entry& entry) const { return {entry.type, file_.bytes().data() + entry.offset}; }
  /// The tensor with this name, if there is one.
  std::optional<TensorView> find(std::string_view name) const;
  /// Call it after reading elements.
  /// errors    as MappedFile::require_whole
  void require_whole() const { file_.require_whole(); }

 private:
  SafetensorsFile(std::filesystem::path path, MappedFile file);

  std::filesystem::path path_;
  MappedFile file_;
  std::vector<Entry> entries_;
  SafetensorsMetadata metadata_;
  std::unordered_map<std::string_view, size_t> index_;  // keys point into entries_
};

/// The name and type of a tensor to write.
struct NamedTensorType {
  std::string name;
  TensorType type;
};
/// The order of tensors in a written file: sizes that are multiples of 64 bytes first, then wide element types before
/// narrow ones, each by name. Every tensor then begins at a multiple of its element size, and nearly all at a multiple
/// of 64.
bool lies_before(const NamedTensorType& a, const NamedTensorType& b);

/// A safetensors file under construction. It takes one tensor at a time. Without `finish` the destructor removes it.
class SafetensorsWriter {
 public:
  /// tensors  in the order of lies_before()
  /// errors   UsageError for an invalid name; IoError if `path` exists or there is no space
  SafetensorsWriter(const std::filesystem::path& path, std::span<const NamedTensorType> tensors,
                    const SafetensorsMetadata& metadata = {{"format", "pt"}});
  /// Writes the elements of the next tensor.
  /// errors  IoError; UsageError for a tensor of another type than the next one
  void write(const TensorView& tensor);
  /// Makes the file durable (fsync). Returns its sum, computed while writing.
  /// errors  IoError; UsageError if a tensor is missing
  FileSum finish();

 private:
  void put(std::span<const std::byte> bytes);

  OutputFile file_;
  ContentHash hash_;  // hash of the bytes written so far
  int64_t bytes_ = 0;
  const std::vector<NamedTensorType> tensors_;
  size_t written_ = 0;  // number of tensors written
};

/// Writes a new safetensors file and makes it durable (fsync), without a copy of the elements. The data begin at a
/// multiple of 64 bytes. Tensors whose sizes are multiples of 64 come first, so PJRT's CPU plugin can take most tensors
/// of a mapped file without a copy.
/// tensors   unique names other than `__metadata__`, which the format reserves
/// errors    UsageError for an invalid name; IoError if `path` exists or cannot be written; the file is then removed.
///           To replace a file, write it into an AtomicDirectory.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensorView> tensors,
                       const SafetensorsMetadata& metadata = {{"format", "pt"}});

}  // namespace portatune::io
