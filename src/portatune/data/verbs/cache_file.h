// A file of examples with random access, as cache() keeps it.
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

/// The file begins with 16 bytes that name the format. Then come the examples, each with 64 bits by which damage is
/// noticed; where each begins, and where the last ends; what the examples were made from; the state of the pass that
/// gave them, at its end; and 48 bytes on these parts.
class CacheFile {
 public:
  /// Writes the file, which appears whole or not at all.
  /// next       gives the examples, and nothing at the end
  /// end_state  called then
  /// made_from  a text without which the file is of no use
  static void write(const std::filesystem::path& path, const std::function<std::optional<Example>()>& next,
                    const std::function<std::string()>& end_state, std::string_view made_from);

  /// errors  NotFoundError, IoError; DataError if it is not such a file, or one of another version of Portatune, or
  ///         damaged, or not made from this
  CacheFile(const std::filesystem::path& path, std::string_view made_from);

  int64_t size() const { return size_; }
  std::string_view end_state() const { return end_state_; }
  /// May be called from several threads at a time.
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
  uint64_t offsets_begin_ = 0;  // where the list of the examples' places is
  std::string_view end_state_;
};

}  // namespace portatune::data
