// Rows of Parquet and Arrow files as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

/// Reads a Parquet file or an Arrow file (IPC file or stream) batch by batch, with the plug-in of arrow_plugin.h.
/// data::read_arrow documents the conversion of values. Reading takes at most `memory_bytes` at a time, for all such
/// files together.
class ArrowTable {
 public:
  static constexpr int64_t kMemoryBytes = int64_t{1} << 30;

  /// errors  DeviceError without the plug-in; NotFoundError, IoError; DataError for a file that Arrow cannot read
  explicit ArrowTable(std::string path, int64_t memory_bytes = kMemoryBytes);
  ~ArrowTable();

  const std::vector<std::string>& columns() const { return columns_; }
  /// Begins to read the columns with these indices in columns(); other columns are not read. Call it once.
  /// errors  DataError for a column whose type cannot become text
  void select(const std::vector<int64_t>& columns);

  /// Moves to the next row; returns false at the end.
  /// errors  BadRecordError for text that is not UTF-8; DataError for a faulty file and if a batch needs too much
  ///         memory;
  ///         IoError
  bool next();
  /// Skips the next rows, or as many as there are, and returns their number. Does not check their values.
  int64_t skip(int64_t rows);
  /// The row's value in selected column `column`; valid until next().
  std::string_view value(size_t column) const;
  /// The number of the row, from 1.
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
