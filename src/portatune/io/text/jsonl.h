// Objects of JSON Lines files, as named texts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/text/line_reader.h"

namespace portatune::io {

/// Reads a file of one JSON object a line, in constant memory. Empty lines, CR LF and a byte order mark are accepted.
/// A value becomes a text: a string its characters, a number, true or false its spelling in the file, null nothing, a
/// list or an object its JSON as it stands there, of which only the brackets are checked.
/// errors  BadRecordError with file and line: not a JSON object, a doubled key, more than kMaxKeys of them, a line of
///         more than `max_line_bytes`, bytes that are not UTF-8
class JsonlReader {
 public:
  static constexpr size_t kMaxKeys = 16'384;  ///< of an object: who looks for one goes through all
  struct Field {
    std::string_view key;
    std::string_view value;
  };

  /// `columns`: the keys whose values are read; empty: all.
  JsonlReader(std::string path, std::vector<std::string> columns, int64_t max_line_bytes = 64 << 20);
  ~JsonlReader();

  /// Goes to the next object; false at the end of the file.
  bool next();
  /// The values that were asked for, in the order of the line, valid until next(). A key may be missing.
  std::span<const Field> fields() const { return fields_; }
  /// All keys of the object, sorted, valid until next().
  std::span<const std::string_view> keys() const { return keys_; }
  /// The line of the object, counted from 1.
  int64_t line() const { return lines_.number(); }

  /// The end of the line of this object.
  TextPosition position() const { return lines_.position(); }
  /// Goes on from there.
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
