// Rows of tables, images or recordings as TFRecord files: `portatune tfrecord write`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/sources.h"

namespace portatune::run {

struct TfrecordOptions {
  std::vector<std::string> input;           ///< files of rows, or a folder of images or recordings
  data::TableOptions table;                 ///< options of the input; its columns are written; none: all
  std::shared_ptr<data::BadRows> bad_rows;  ///< the same as in ModelOptions
  std::filesystem::path output;
  data::TfrecordWriterOptions files;
  std::vector<std::string> int64_columns, float_columns;
  std::string image_column;         ///< column of paths to the images to write; empty: none, or "image" of a folder
  std::string audio_column;         ///< column of paths to the recordings to write; empty: none
  std::filesystem::path tokenizer;  ///< empty: texts are written unchanged
  std::string text_column = "text", text_pair_column;
  int64_t max_length = 0;          ///< tokens; 0: no limit
  bool pad_to_max_length = false;  ///< all rows have max_length ids, and an attention_mask
  bool keep_text = false;          ///< write the text beside its token ids
};

struct WrittenRecords {
  int64_t records = 0;
  std::vector<std::string> files;
  std::optional<int64_t> skipped_rows;  ///< number of bad rows, if they may be skipped
};

/// Writes a tf.train.Example for each row. The files appear when all of them are complete.
/// errors  UsageError for options that exclude each other; NotFoundError without the folder of the output; DataError
///         for values that do not fit their column; Stopped; those of the rows and of data::TfrecordWriter
WrittenRecords write_tfrecord(const TfrecordOptions& options);

}  // namespace portatune::run
