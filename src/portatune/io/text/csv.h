// Records of CSV and TSV files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/text/text_file.h"

namespace portatune::io {

struct CsvFormat {
  char delimiter = ',';
  bool quoting = true;  ///< whether '"' encloses fields; otherwise it is an ordinary character
  int64_t max_field_bytes = 16 << 20;
  int64_t max_record_bytes = 64 << 20;
  int64_t max_fields = 1 << 16;
};

/// Reads a file record by record in constant memory. A record ends at LF, CR LF or CR, as in Python's csv module;
/// enclosed fields may contain line ends, delimiters and doubled quotes. Empty lines are passed over. A quote inside a
/// field that does not begin with one is an ordinary character.
/// errors  BadRecordError with file and line: a record with another number of fields than the first, bytes that are not
///         UTF-8, NUL. DataError where the end of the record is not certain: a quote that is not closed, text after a
///         closing quote, anything above the limits
/// source  RFC 4180
class CsvReader {
 public:
  explicit CsvReader(std::string path, CsvFormat format = {});

  /// Goes to the next record; false at the end of the file.
  bool next();
  /// The record's fields, valid until next().
  std::span<const std::string_view> fields() const { return fields_; }
  /// The line on which the record begins, counted from 1.
  int64_t line() const { return line_; }

  /// Where the next record is looked for.
  TextPosition position() const { return {file_.offset() + static_cast<int64_t>(record_bytes_), next_line_}; }
  /// Goes on from there. Only after the first next(), which fixes the number of fields.
  void seek(TextPosition position);

 private:
  // A field in the unread bytes, and where the scan goes on.
  struct Field {
    size_t begin, end;
    bool quoted, escaped;
    size_t next;
  };

  bool scan_record();
  std::optional<size_t> scan_fields(std::string_view text);
  std::optional<Field> scan_field(std::string_view text, size_t begin) const;
  Field scan_plain(std::string_view text, size_t begin) const;
  std::optional<Field> scan_quoted(std::string_view text, size_t begin) const;
  std::optional<size_t> scan_line_end(std::string_view text, size_t at) const;
  bool is_empty_line() const;
  void extract_fields();
  void require_limits(std::string_view text, size_t field_begin, size_t field_end) const;
  void require_field_count();
  [[noreturn]] void fail(int64_t line, std::string given, std::string expected, std::string fix = {}) const;

  TextFile file_;
  CsvFormat format_;
  bool at_end_ = false;
  size_t record_bytes_ = 0;
  int64_t line_ = 1;        // of the record
  int64_t next_line_ = 1;   // of the one after it
  int64_t first_line_ = 0;  // of the record that fixes the number of fields; 0 before it
  size_t field_count_ = 0;
  std::vector<Field> scanned_;
  std::vector<std::string_view> fields_;
};

}  // namespace portatune::io
