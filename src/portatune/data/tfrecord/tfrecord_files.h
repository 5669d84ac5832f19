// The files that read_tfrecord was given, and their records one by one.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/bad_rows.h"
#include "portatune/data/read/same_files.h"
#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_columns.h"
#include "portatune/io/tfrecord/tfrecord_index.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"
#include "portatune/tfrecord.h"

namespace portatune::data {

struct TfrecordRecord;

/// The stage's name in states.
inline constexpr std::string_view kReadTfrecord = "read_tfrecord";

/// Shared by all passes, which may outlive the dataset.
struct TfrecordFiles {
  /// errors  those that read_tfrecord has at once
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

/// The records of one file. For one thread at a time.
class TfrecordFile {
 public:
  TfrecordFile(std::shared_ptr<const TfrecordFiles> files, size_t file);

  std::optional<TfrecordRecord> next();
  /// errors  BadRecordError for a record alone, behind which the next call goes on
  std::optional<Example> next(io::TfExample& parser);
  /// The next example that is not passed over.
  /// bad_rows  as in Pass
  std::optional<Example> next(io::TfExample& parser, BadRows* bad_rows);
  /// As Iterator has it.
  int64_t skip(int64_t count);
  /// Of the record that comes next.
  const io::RecordPosition& position() const { return reader_.position(); }
  /// Goes on at a record further on.
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
  /// As TfrecordFile has it. No record at all is an error here, too, unless bad rows are skipped.
  std::optional<Example> next(io::TfExample& parser, BadRows* bad_rows);
  int64_t skip(int64_t count);
  /// As Iterator has them.
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
  bool found_any_ = false;  // in the files before
  SameFiles same_files_;
};

/// A position as states have it.
nlohmann::json state_of(const io::RecordPosition& position);
io::RecordPosition record_position_in(const nlohmann::json& state);

/// Of files without a record.
DataError no_records(const TfrecordFiles& files);

}  // namespace portatune::data
