#include "portune/data/tfrecord_files.h"

#include <algorithm>
#include <filesystem>

#include "portune/error.h"

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

Origin TfrecordFiles::origin_of(const TfrecordRecord& record) const {
  return {paths[record.file], record.position.record + 1};
}

Example TfrecordFiles::read(const TfrecordRecord& record, io::TfExample& parser) const {
  return columns.read(record.bytes, origin_of(record), record.position, parser);
}

TfrecordFile::TfrecordFile(std::shared_ptr<const TfrecordFiles> files, size_t file)
    : files_(std::move(files)), file_(file), reader_(*files_->paths[file], files_->max_record_bytes) {}

std::optional<TfrecordRecord> TfrecordFile::next() {
  const io::RecordPosition here = reader_.position();
  const std::optional<std::string_view> record = reader_.next();
  return record ? std::optional(TfrecordRecord{*record, file_, here}) : std::nullopt;
}

int64_t TfrecordFile::skip(int64_t count) {
  const std::optional<io::TfrecordIndex>& index = files_->indexes[file_];
  if (!index) return reader_.skip(count);
  const int64_t done = reader_.position().record;
  const int64_t skipped = std::min(count, index->records() - done);
  if (skipped > 0) reader_.seek(index->position(done + skipped));
  return skipped;
}

std::optional<TfrecordRecord> TfrecordSequence::next() {
  while (begin_file()) {
    if (auto record = records_->next()) {
      found_any_ = true;
      return record;
    }
    end_file();
  }
  return std::nullopt;
}

int64_t TfrecordSequence::skip(int64_t count) {
  int64_t skipped = 0;
  while (skipped < count && begin_file()) {
    skipped += records_->skip(count - skipped);
    found_any_ |= skipped > 0;
    if (skipped < count) end_file();
  }
  return skipped;
}

// Whether there is a file to read.
bool TfrecordSequence::begin_file() {
  if (file_ == files_->paths.size()) return false;
  if (!records_) records_.emplace(files_, file_);
  return true;
}

void TfrecordSequence::end_file() {
  records_.reset();
  if (++file_ == files_->paths.size() && !found_any_) throw no_records(*files_);
}

DataError no_records(const TfrecordFiles& files) {
  const size_t others = files.paths.size() - 1;
  return DataError({.where = *files.paths.front() + (others > 0 ? " and " + std::to_string(others) + " more" : ""),
                    .given = "no records",
                    .expected = "at least one"});
}

}  // namespace portune::data
