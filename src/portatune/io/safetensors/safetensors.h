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

#include "portatune/base/output_file.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file.h"
#include "portatune/tensor.h"

namespace portatune::io {

/// What a safetensors header tells about one tensor.
struct SafetensorsEntry {
  std::string name;
  TensorType type;
  int64_t offset = 0;  ///< of the first element, in bytes from the start of the file
};

/// Free text of a file; transformers asks for {"format": "pt"}.
using SafetensorsMetadata = std::map<std::string, std::string>;

/// A safetensors file, mapped and not copied. All of the header is checked when it is opened, the elements never are.
class SafetensorsFile {
 public:
  using Entry = SafetensorsEntry;

  /// errors    NotFoundError, IoError; CheckpointError, naming file and tensor, if the file breaks a rule of the format
  ///           or has an element type that Portatune lacks
  /// source    https://github.com/huggingface/safetensors, section Format
  static SafetensorsFile open(const std::filesystem::path& path, FileAccess access = FileAccess::kAuto);

  const std::filesystem::path& path() const { return path_; }
  /// In the order in which the elements lie in the file.
  std::span<const Entry> entries() const { return entries_; }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  /// The elements, valid as long as this object. They need not be aligned; what write_safetensors wrote mostly is.
  TensorView view(const Entry& entry) const { return {entry.type, file_.bytes().data() + entry.offset}; }
  /// The tensor of that name, if there is one.
  std::optional<TensorView> find(std::string_view name) const;
  /// To be called when elements have been read.
  /// errors    as MappedFile::require_whole
  void require_whole() const { file_.require_whole(); }

 private:
  SafetensorsFile(std::filesystem::path path, MappedFile file);

  std::filesystem::path path_;
  MappedFile file_;
  std::vector<Entry> entries_;
  SafetensorsMetadata metadata_;
  std::unordered_map<std::string_view, size_t> index_;  // keys look into entries_
};

/// What is to be written of one tensor.
struct NamedTensorType {
  std::string name;
  TensorType type;
};
/// Whether a tensor lies before another one in what is written: whole multiples of 64 bytes first, then wide element
/// types before narrow ones, each by name. So every tensor lies at a multiple of its element's size, and nearly all at
/// a multiple of 64.
bool lies_before(const NamedTensorType& a, const NamedTensorType& b);

/// A safetensors file under construction, which takes one tensor at a time. Without `finish` nothing is left behind.
class SafetensorsWriter {
 public:
  /// tensors  in the order of lies_before
  /// errors   UsageError for a name that is not allowed; IoError if `path` exists or there is no space
  SafetensorsWriter(const std::filesystem::path& path, std::span<const NamedTensorType> tensors,
                    const SafetensorsMetadata& metadata = {{"format", "pt"}});
  /// The elements of the next tensor.
  /// errors  IoError; UsageError unless it has the type of the next one
  void write(const TensorView& tensor);
  /// Makes the file durable (fsync). Returns the sum of the file, which has not been read for it.
  /// errors  IoError; UsageError if a tensor has not been written
  FileSum finish();

 private:
  void put(std::span<const std::byte> bytes);

  OutputFile file_;
  ContentHash hash_;  // of what has been written
  int64_t bytes_ = 0;
  const std::vector<NamedTensorType> tensors_;
  size_t written_ = 0;  // of them
};

/// Writes a new safetensors file and makes it durable (fsync). Elements go from `tensors` to the file without a copy in
/// between. They start at a multiple of 64 bytes, and so does every tensor that follows tensors whose sizes are such
/// multiples; those come first, hence a mapped file can be handed to PJRT's CPU plugin as it is.
/// tensors   names differ; `__metadata__` is reserved by the format
/// errors    UsageError for a name that is not allowed; IoError if `path` exists or cannot be written, in which case
///           nothing is left behind. To replace a file, write it into an AtomicDirectory.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensorView> tensors,
                       const SafetensorsMetadata& metadata = {{"format", "pt"}});

}  // namespace portatune::io
