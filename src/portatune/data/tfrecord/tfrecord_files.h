// The files of read_tfrecord, and their records one by one.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data/read/same_files.h"
#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_columns.h"
#include "portatune/io/tfrecord/tfrecord_index.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"
#include "portatune/sources.h"

namespace portatune::data {

struct TfrecordRecord;

/// The stage's name in states.
inline constexpr std::string_view kReadTfrecord = "read_tfrecord";

/// The files and options of read_tfrecord. Shared by all passes, which may outlive the dataset.
struct TfrecordFiles {
  /// errors  those that read_tfrecord throws at once
  TfrecordFiles(const std::vector<std::string>& paths, const TfrecordOptions& options);

  Origin origin_of(const TfrecordRecord& record) const;
  Example read(const TfrecordRecord& record, io::TfExample& parser) const;

  std::vector<std::string> texts_of_paths() const;

  std::vector<std::shared_ptr<const std::string>> paths;  // shared by the origins of all examples
  std::vector<std::optional<io::TfrecordIndex>> indexes;
  TfrecordColumns columns;
  int64_t max_record_bytes;
};

/// A record, valid until the next is read.
struct TfrecordRecord {
  std::string_view bytes;
  size_t file = 0;
  io::RecordPosition position;
};

/// The records of one file. Used by one thread at a time.
class TfrecordFile {
 public:
  TfrecordFile(std::shared_ptr<const TfrecordFiles> files, size_t file);

  std::optional<TfrecordRecord> next();
  /// The next example.
  /// errors  BadRecordError for a single bad record; the next call continues after it
  std::optional<Example> next(io::TfExample& parser);
  /// The next example that is not skipped.
  /// bad_rows  as in Pass
  std::optional<Example> next(io::TfExample& parser, BadRows* bad_rows);
  /// Skips records as Iterator::skip() does.
  int64_t skip(int64_t count);
  /// The position of the next record.
  const io::RecordPosition& position() const { return reader_.position(); }
  /// Moves forward to another record.
  void seek(const io::RecordPosition& position) { reader_.seek(position); }

 private:
  std::shared_ptr<const TfrecordFiles> files_;
  const size_t file_;
  io::TfrecordReader reader_;
};

/// The records of all files, one file after the other.
class TfrecordSequence {
 public:
  explicit TfrecordSequence(std::shared_ptr<const TfrecordFiles> files)
      : files_(std::move(files)), same_files_(files_->texts_of_paths()) {}

  /// errors  DataError at the end if there was no record
  std::optional<TfrecordRecord> next();
  /// The next example that is not skipped.
  /// bad_rows  as in Pass
  /// errors    DataError at the end if there was no record, unless bad rows are skipped
  std::optional<Example> next(io::TfExample& parser, BadRows* bad_rows);
  int64_t skip(int64_t count);
  /// State and restore() as in Iterator.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  template <class Read>
  auto next_by(const Read& read);
  bool begin_file();
  void end_file();
  void require_record() const;

  std::shared_ptr<const TfrecordFiles> files_;
  size_t file_ = 0;
  std::optional<TfrecordFile> records_;
  bool found_any_ = false;  // whether the previous files had a record
  SameFiles same_files_;
};

/// A position as JSON for states.
nlohmann::json state_of(const io::RecordPosition& position);
io::RecordPosition record_position_in(const nlohmann::json& state);

/// The error of files without any record.
DataError no_records(const TfrecordFiles& files);

}  // namespace portatune::data
