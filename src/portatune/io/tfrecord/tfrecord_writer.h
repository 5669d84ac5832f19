// TFRecord files that are written completely or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/io/tfrecord/tfrecord_index.h"

namespace portatune::io {

/// A TFRecord file under construction under a temporary name, and its index.
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
  /// Makes the file durable under its temporary name.
  void finish();
  /// Commits all files or none. All files must be finished. Replaces older files with these names.
  /// errors  IoError
  static void commit_together(const std::vector<TfrecordWriter*>& writers);

 private:
  class Gzip;

  void append(std::string_view bytes);
  void flush();
  void write_out(std::string_view bytes);

  const std::string path_;
  AtomicFile out_;
  std::unique_ptr<Gzip> gzip_;  // null if uncompressed
  std::optional<TfrecordIndexWriter> index_;
  std::string buffer_;
  int64_t end_ = 0, file_bytes_ = 0;
};

}  // namespace portatune::io
