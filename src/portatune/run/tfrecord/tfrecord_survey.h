// The content of a TFRecord file.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "portatune/error.h"
#include "portatune/io/tfrecord/tf_example.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"

namespace portatune::run {

/// The least and the largest value of a number so far.
struct Extent {
  int64_t least = 0, most = 0;
  bool is_empty = true;

  void add(int64_t value);
  std::string text() const;  ///< "3", "3-17"
};

struct FeatureSurvey {
  std::map<io::FeatureKind, int64_t> kinds;  ///< number of records for each kind
  Extent values;                             ///< number of values in a record
  Extent bytes;                              ///< length of a value, if it is bytes

  int64_t records() const;
  std::string kind() const;  ///< "int64"; "int64, float" where records differ
};

/// Reads one file.
class TfrecordSurvey {
 public:
  /// all    whether to read every record, and not only the first ones, which show the features
  /// shown  number of records to keep for display
  /// errors  NotFoundError, IoError; faults() has the faults of the file's content
  TfrecordSurvey(std::string file, bool all, int64_t shown);

  const std::string& file() const { return file_; }
  int64_t records() const { return records_; }
  int64_t bytes() const { return bytes_; }
  bool is_compressed() const { return is_compressed_; }
  bool has_index() const { return has_index_; }
  const std::map<std::string, FeatureSurvey>& features() const { return features_; }
  /// Features of the first records: numbers, texts, and a description in place of other bytes.
  const std::vector<nlohmann::ordered_json>& first() const { return first_; }
  const std::vector<Report>& faults() const { return faults_; }

 private:
  void read(io::TfrecordReader& reader, bool all);
  bool look_at_next(io::TfrecordReader& reader);
  void look_at(std::string_view record, const io::RecordPosition& position);
  void compare_with_index();

  std::string file_;
  int64_t shown_;
  int64_t records_ = 0, bytes_ = 0;
  bool is_compressed_ = false, has_index_ = false;
  std::map<std::string, FeatureSurvey> features_;
  std::vector<nlohmann::ordered_json> first_;
  std::vector<Report> faults_;
  io::TfExample parser_;
};

/// The survey as a line of JSON.
/// verified  whether every record was read
std::string json_of(const TfrecordSurvey& survey, bool verified);

}  // namespace portatune::run
