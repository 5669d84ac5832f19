#include "portune/data/tfrecord_files.h"

#include <algorithm>
#include <filesystem>

#include "portune/data/tolerance.h"

namespace portune::data {

TfrecordFiles::TfrecordFiles(const std::vector<std::string>& given, const TfrecordOptions& options)
    : columns(options.features), max_record_bytes(options.max_record_bytes) {
  if (given.empty()) {
    throw UsageError({.where = "read_tfrecord", .given = "no files", .expected = "at least one"});
  }
  for (const std::string& path : given) {
    if (!std::filesystem::exists(path)) {
      throw NotFoundError({.where = path, .given = "no such file", .expected = "a TFRecord file"});
    }
    paths.push_back(std::make_shared<const std::string>(path));
    indexes.push_back(io::TfrecordIndex::open(path));
  }
}

TfrecordRows::TfrecordRows(std::shared_ptr<const TfrecordFiles> files, size_t file, std::shared_ptr<BadRows> bad_rows)
    : files_(std::move(files)),
      file_(file),
      bad_rows_(std::move(bad_rows)),
      reader_(*files_->paths[file], files_->max_record_bytes) {}

std::optional<Example> TfrecordRows::next() {
  for (;;) {
    try {
      return next_record();
    } catch (const DataError& error) {
      if (reader_.rest_is_lost()) throw;
      pass_over(bad_rows_.get(), error);
    }
  }
}

std::optional<Example> TfrecordRows::next_record() {
  const io::RecordPosition here = reader_.position();
  const std::optional<std::string_view> record = reader_.next();
  if (!record) return std::nullopt;
  return files_->columns.read(*record, Origin{files_->paths[file_], here.record + 1}, here, parser_);
}

int64_t TfrecordRows::skip(int64_t count) {
  if (bad_rows_) {  // which there may be among them
    int64_t skipped = 0;
    while (skipped < count && next()) ++skipped;
    return skipped;
  }
  const std::optional<io::TfrecordIndex>& index = files_->indexes[file_];
  if (!index) return reader_.skip(count);
  const int64_t done = reader_.position().record;
  const int64_t skipped = std::min(count, index->records() - done);
  if (skipped > 0) reader_.seek(index->position(done + skipped));
  return skipped;
}

DataError no_records(const TfrecordFiles& files) {
  const size_t others = files.paths.size() - 1;
  return DataError({.where = *files.paths.front() + (others > 0 ? " and " + std::to_string(others) + " more" : ""),
                    .given = "no records",
                    .expected = "at least one"});
}

}  // namespace portune::data
