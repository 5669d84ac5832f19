// The files that read_tfrecord was given, and their records one by one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portune/bad_rows.h"
#include "portune/data/tfrecord_columns.h"
#include "portune/io/tfrecord_index.h"
#include "portune/io/tfrecord_reader.h"
#include "portune/tfrecord.h"

namespace portune::data {

/// Shared by all passes, which may outlive the dataset.
struct TfrecordFiles {
  /// errors  those that read_tfrecord has at once
  TfrecordFiles(const std::vector<std::string>& paths, const TfrecordOptions& options);

  std::vector<std::shared_ptr<const std::string>> paths;  // shared by the origins of all examples
  std::vector<std::optional<io::TfrecordIndex>> indexes;
  TfrecordColumns columns;
  int64_t max_record_bytes;
};

/// The examples of one file. For one thread at a time.
class TfrecordRows {
 public:
  /// bad_rows  as in Pass
  TfrecordRows(std::shared_ptr<const TfrecordFiles> files, size_t file, std::shared_ptr<BadRows> bad_rows);

  /// As Iterator has them.
  std::optional<Example> next();
  int64_t skip(int64_t count);
  /// Of the record that comes next.
  const io::RecordPosition& position() const { return reader_.position(); }

 private:
  std::optional<Example> next_record();

  std::shared_ptr<const TfrecordFiles> files_;
  const size_t file_;
  const std::shared_ptr<BadRows> bad_rows_;
  io::TfrecordReader reader_;
  io::TfExample parser_;
};

/// num_parallel_reads files at a time.
/// bad_rows  as in Pass
std::unique_ptr<Iterator> read_in_parallel(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                                           std::shared_ptr<BadRows> bad_rows);

/// Of files without a record.
DataError no_records(const TfrecordFiles& files);

}  // namespace portune::data
