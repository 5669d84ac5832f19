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
  bool quoting = true;  ///< whether '"' encloses fields or is an ordinary character
  int64_t max_field_bytes = 16 << 20;
  int64_t max_record_bytes = 64 << 20;
  int64_t max_fields = 1 << 16;
};

/// Reads a file record by record in constant memory. A record ends at LF, CR LF or CR, as in Python's csv module.
/// Enclosed fields may contain line ends, delimiters and doubled quotes. Skips empty lines. A quote within a field that
/// does not begin with a quote is an ordinary character.
/// errors  BadRecordError with file and line: a record whose number of fields differs from the first, bytes that are
///         not UTF-8, NUL. DataError if the end of the record is uncertain: an unclosed quote, text after a closing
///         quote, a value above a limit
/// source  RFC 4180
class CsvReader {
 public:
  explicit CsvReader(std::string path, CsvFormat format = {});

  /// Moves to the next record; returns false at the end of the file.
  bool next();
  /// Fields of the record, valid until next().
  std::span<const std::string_view> fields() const { return fields_; }
  /// The line on which the record begins, from 1.
  int64_t line() const { return line_; }

  /// The position after the record.
  TextPosition position() const { return {file_.offset() + static_cast<int64_t>(record_bytes_), next_line_}; }
  /// Continues from a position. Requires an earlier next(), which fixes the number of fields.
  void seek(TextPosition position);

 private:
  // A field in the unread bytes, and the index at which the scan continues.
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
  int64_t line_ = 1;        // line of the record
  int64_t next_line_ = 1;   // line of the next record
  int64_t first_line_ = 0;  // line of the record that fixes the number of fields; 0 before that record
  size_t field_count_ = 0;
  std::vector<Field> scanned_;
  std::vector<std::string_view> fields_;
};

/// The text as a field of CSV: in quotes where it needs them.
/// source  RFC 4180
std::string csv_field(const std::string& text);

}  // namespace portatune::io
