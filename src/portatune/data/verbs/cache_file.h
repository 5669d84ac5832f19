// The file of cache(): examples with random access.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/data.h"
#include "portatune/io/file/file.h"

namespace portatune::data {

/// The file begins with 16 bytes that name the format. Then follow the examples, each with a 64-bit hash; the offset of
/// each example and the end of the last; the description of their source; the final state of the pass that gave them;
/// and a footer of 48 bytes with the offsets of these parts.
class CacheFile {
 public:
  /// Writes the file, which appears complete or not at all.
  /// next       returns the examples, and nullopt at the end
  /// end_state  called at the end; returns the final state of the pass
  /// made_from  description of the source, compared when the file is opened
  static void write(const std::filesystem::path& path, const std::function<std::optional<Example>()>& next,
                    const std::function<std::string()>& end_state, std::string_view made_from);

  /// errors  NotFoundError, IoError; DataError for a file of another kind, of another version of Portatune, of another
  ///         `made_from`, or a damaged file
  CacheFile(const std::filesystem::path& path, std::string_view made_from);

  int64_t size() const { return size_; }
  std::string_view end_state() const { return end_state_; }
  /// Example `index`, 0 <= index < size(). Thread-safe.
  /// errors  DataError if it is damaged
  Example at(int64_t index) const;

 private:
  std::string_view piece(uint64_t begin, uint64_t end) const;
  uint64_t offset(int64_t index) const;
  void require_magic() const;
  [[noreturn]] void fail(const std::string& given) const;

  std::string path_;
  io::MappedFile file_;
  int64_t size_ = 0;
  uint64_t offsets_begin_ = 0;  // offset of the list of the examples' offsets
  std::string_view end_state_;
};

}  // namespace portatune::data
