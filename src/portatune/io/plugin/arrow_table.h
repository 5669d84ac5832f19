// Rows of Parquet and Arrow files, as texts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

/// Reads a Parquet file, or Arrow's own (IPC file or stream), batch by batch, with the plug-in of arrow_plugin.h. What
/// becomes of values is said in data::read_arrow. Reading takes at most `memory_bytes` at a time, for all such files
/// together.
class ArrowTable {
 public:
  static constexpr int64_t kMemoryBytes = int64_t{1} << 30;

  /// errors  DeviceError without the plug-in; NotFoundError, IoError; DataError for a file that Arrow cannot read
  explicit ArrowTable(std::string path, int64_t memory_bytes = kMemoryBytes);
  ~ArrowTable();

  const std::vector<std::string>& columns() const { return columns_; }
  /// Begins to read some columns, by their places in columns(); others are not read. To be called once.
  /// errors  DataError for a column of a type that is no text
  void select(const std::vector<int64_t>& columns);

  /// Goes to the next row; false at the end.
  /// errors  BadRecordError for a text that is not UTF-8; DataError for what is wrong with the file, and where it needs
  ///         more memory; IoError
  bool next();
  /// Goes over the next rows, or as many as there are, and returns how many these were. Their values are not looked at.
  int64_t skip(int64_t rows);
  /// A value of the row, by its place among those selected; valid until next().
  std::string_view value(size_t column) const;
  /// The row, counted from 1.
  int64_t row() const { return row_; }

 private:
  struct Stream;  // keeps Arrow's structs out of this header
  bool next_batch();
  bool go_to_next();
  bool is_null(size_t column) const;

  std::string path_;
  int64_t memory_bytes_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::string> columns_;
  std::vector<int64_t> selected_;
  int64_t row_ = 0;
};

}  // namespace portatune::io
