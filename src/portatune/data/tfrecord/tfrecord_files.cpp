#include "portatune/data/tfrecord/tfrecord_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/tolerance.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::data {

TfrecordFiles::TfrecordFiles(const std::vector<std::string>& given, const TfrecordOptions& options)
    : columns(options.features, options.as_written), max_record_bytes(options.max_record_bytes) {
  if (given.empty()) {
    throw UsageError({.where = "read_tfrecord", .given = "no files", .expected = "at least one"});
  }
  for (const std::string& path : given) {
    const int64_t bytes = io::open_random_access(path)->size();
    paths.push_back(std::make_shared<const std::string>(path));
    indexes.push_back(io::TfrecordIndex::open(path, bytes));
  }
}

std::vector<std::string> TfrecordFiles::texts_of_paths() const {
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(*path);
  return texts;
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

std::optional<Example> TfrecordFile::next(io::TfExample& parser) {
  const int64_t before = position().record;
  try {
    const std::optional<TfrecordRecord> record = next();
    return record ? std::optional(files_->read(*record, parser)) : std::nullopt;
  } catch (const DataError& error) {
    if (reader_.rest_is_lost() || position().record == before) throw;
    throw io::BadRecordError(error.report());
  }
}

std::optional<Example> TfrecordFile::next(io::TfExample& parser, BadRows* bad_rows) {
  for (;;) {
    try {
      return next(parser);
    } catch (const io::BadRecordError& error) {
      skip_bad_row(bad_rows, error);
    }
  }
}

int64_t TfrecordFile::skip(int64_t count) {
  const std::optional<io::TfrecordIndex>& index = files_->indexes[file_];
  if (!index) return reader_.skip(count);
  index->require(*files_->paths[file_], reader_.position());
  const int64_t done = reader_.position().record;
  const int64_t skipped = std::min(count, index->records() - done);
  if (skipped > 0) reader_.seek(index->position(done + skipped));
  return skipped;
}

// The result of read(file) for the first file that has a next record.
template <class Read>
auto TfrecordSequence::next_by(const Read& read) {
  while (begin_file()) {
    if (auto found = read(*records_)) return found;
    end_file();
  }
  return decltype(read(*records_))();
}

std::optional<TfrecordRecord> TfrecordSequence::next() {
  auto record = next_by([](TfrecordFile& file) { return file.next(); });
  if (!record) require_record();
  return record;
}

std::optional<Example> TfrecordSequence::next(io::TfExample& parser, BadRows* bad_rows) {
  auto example = next_by([&](TfrecordFile& file) { return file.next(parser, bad_rows); });
  if (!example && bad_rows == nullptr) require_record();
  return example;
}

int64_t TfrecordSequence::skip(int64_t count) {
  int64_t skipped = 0;
  while (skipped < count && begin_file()) {
    skipped += records_->skip(count - skipped);
    if (skipped < count) end_file();
  }
  if (skipped < count) require_record();
  return skipped;
}

nlohmann::json TfrecordSequence::state() const {
  return {{"stage", kReadTfrecord},
          {"fingerprints", same_files_.fingerprints()},
          {"file", file_},
          {"position", state_of(records_ ? records_->position() : io::RecordPosition{})},
          {"found", found_any_}};
}

void TfrecordSequence::restore(const nlohmann::json& state) {
  const SavedState saved(kReadTfrecord, state);
  same_files_.require(saved);
  file_ = static_cast<size_t>(saved.count("file", std::ssize(files_->paths)));
  found_any_ = saved.flag("found");
  if (begin_file()) records_->seek(record_position_in(saved.part("position")));
}

// Opens the next file if none is open; false after the last file.
bool TfrecordSequence::begin_file() {
  if (file_ == files_->paths.size()) return false;
  if (!records_) records_.emplace(files_, file_);
  return true;
}

// Closes the file. Skipped records count as found.
void TfrecordSequence::end_file() {
  found_any_ |= records_->position().record > 0;
  records_.reset();
  ++file_;
}

void TfrecordSequence::require_record() const {
  if (!found_any_) throw no_records(*files_);
}

nlohmann::json state_of(const io::RecordPosition& position) {
  return {{"stage", kReadTfrecord}, {"record", position.record}, {"offset", position.offset}};
}

io::RecordPosition record_position_in(const nlohmann::json& state) {
  const SavedState saved(kReadTfrecord, state);
  return {.record = saved.count("record"), .offset = saved.count("offset")};
}

DataError no_records(const TfrecordFiles& files) {
  const size_t others = files.paths.size() - 1;
  return DataError({.where = *files.paths.front() + (others > 0 ? " and " + std::to_string(others) + " more" : ""),
                    .given = "no records",
                    .expected = "at least one"});
}

}  // namespace portatune::data
