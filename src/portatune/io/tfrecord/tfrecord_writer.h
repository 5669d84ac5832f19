// TFRecord files, written whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/output_file.h"
#include "portatune/io/tfrecord/tfrecord_index.h"

namespace portatune::io {

/// A file under construction beside its place, and its index.
class TfrecordWriter {
 public:
  struct Options {
    bool gzip = false;
    bool index = true;
  };

  /// errors  IoError, NotFoundError if the folder is missing
  TfrecordWriter(const std::string& path, const Options& options);
  ~TfrecordWriter();

  /// errors  IoError; UsageError for a record of more than kMaxRecordBytes
  void write(std::string_view record);
  /// All is durable, beside its place.
  void finish();
  /// Puts all files in place, or none. All must be finished. Older files of these names are replaced.
  /// errors  IoError
  static void commit_together(const std::vector<TfrecordWriter*>& writers);

 private:
  class Gzip;

  void append(std::string_view bytes);
  void flush();
  void write_out(std::string_view bytes);

  const std::string path_;
  AtomicFile out_;
  std::unique_ptr<Gzip> gzip_;  // null: not compressed
  std::optional<TfrecordIndexWriter> index_;
  std::string buffer_;
  int64_t end_ = 0, file_bytes_ = 0;
};

}  // namespace portatune::io
