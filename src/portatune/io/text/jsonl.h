// Objects of JSON Lines files, with values as text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/text/line_reader.h"

namespace portatune::io {

/// Reads a file with one JSON object per line, in constant memory. Accepts empty lines, CR LF and a byte order mark.
/// The text of a value is the characters of a string, the spelling of a number, true or false in the file, nothing for
/// null, and the JSON of a list or an object, of which only the brackets are checked.
/// errors  BadRecordError with file and line: a value that is not a JSON object, a doubled key, more than kMaxKeys
///         keys,
///         a line of more than `max_line_bytes`, bytes that are not UTF-8
class JsonlReader {
 public:
  static constexpr size_t kMaxKeys = 16'384;  ///< maximum per object, because a look-up scans all keys
  struct Field {
    std::string_view key;
    std::string_view value;
  };

  /// columns  keys whose values are read; empty for all
  JsonlReader(std::string path, std::vector<std::string> columns, int64_t max_line_bytes = 64 << 20);
  ~JsonlReader();

  /// Moves to the next object; returns false at the end of the file.
  bool next();
  /// The requested values in the order of the line, valid until next(). A key may be missing.
  std::span<const Field> fields() const { return fields_; }
  /// All keys of the object, sorted, valid until next().
  std::span<const std::string_view> keys() const { return keys_; }
  /// The line of the object, from 1.
  int64_t line() const { return lines_.number(); }

  /// The position after the object's line.
  TextPosition position() const { return lines_.position(); }
  /// Continues from a position.
  void seek(TextPosition position) { lines_.seek(position); }

 private:
  struct Parser;  // keeps simdjson out of this header

  void read_object(std::span<char> text);
  bool wants(std::string_view key) const;
  void require_few_keys() const;
  void require_distinct_keys();

  LineReader lines_;
  std::vector<std::string> columns_;
  std::unique_ptr<Parser> parser_;
  std::vector<Field> fields_;
  std::vector<std::string_view> keys_;
};

}  // namespace portatune::io
