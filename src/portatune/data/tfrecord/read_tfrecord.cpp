#include <algorithm>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>

#include "portatune/data/batch/batch_source.h"
#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_batches.h"
#include "portatune/data/tfrecord/tfrecord_files.h"
#include "portatune/data/tfrecord/tfrecord_parallel.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using FilesPtr = std::shared_ptr<const TfrecordFiles>;

class TfrecordIterator final : public Iterator {
 public:
  TfrecordIterator(FilesPtr files, std::shared_ptr<BadRows> bad_rows)
      : records_(std::move(files)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override { return records_.next(parser_, bad_rows_.get()); }
  // Parses all skipped records if bad ones may be among them.
  int64_t skip(int64_t count) override { return bad_rows_ ? Iterator::skip(count) : records_.skip(count); }
  nlohmann::json state() const override { return records_.state(); }
  void restore(const nlohmann::json& state) override { records_.restore(state); }

 private:
  TfrecordSequence records_;
  std::shared_ptr<BadRows> bad_rows_;
  io::TfExample parser_;
};

// The files opened most recently. A process cannot have any number of files open.
class OpenFiles {
 public:
  std::shared_ptr<const io::RandomAccessFile> get(size_t file, const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(open_, file, &Entry::file);
    if (found != open_.end()) return found->open;
    if (open_.size() == kMaxOpen) open_.pop_front();
    // Shared, because a thread may read from the file while another removes it from the list.
    open_.push_back({file, io::open_random_access(path)});
    return open_.back().open;
  }

 private:
  static constexpr size_t kMaxOpen = 64;
  struct Entry {
    size_t file;
    std::shared_ptr<const io::RandomAccessFile> open;
  };
  std::mutex mutex_;
  std::deque<Entry> open_;
};

class ReadTfrecord final : public Stage, public BatchSource {
 public:
  ReadTfrecord(FilesPtr files, const TfrecordOptions& options)
      : files_(std::move(files)), reads_(options.num_parallel_reads), deterministic_(options.deterministic) {
    for (const auto& index : files_->indexes) {
      has_access_ = has_access_ && index && index->gives_access();
      if (index) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + index->records());
    }
  }

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    if (reads_ == 1) return std::make_unique<TfrecordIterator>(files_, pass.bad_rows);
    return read_in_parallel(files_, reads_, deterministic_, pass.bad_rows);
  }

  std::optional<int64_t> size() const override { return has_access_ ? std::optional(ends_.back()) : std::nullopt; }

  Example at(Pass, int64_t index) const override {
    const auto file = static_cast<size_t>(std::ranges::upper_bound(ends_, index) - ends_.begin());
    const io::TfrecordIndex& records = *files_->indexes[file];
    const int64_t record = index - (file == 0 ? 0 : ends_[file - 1]);
    const io::RecordPosition position = records.position(record);
    const auto open = open_.get(file, *files_->paths[file]);
    std::string buffer;
    io::TfExample parser;
    try {
      const std::string_view bytes = io::read_record(
          *open, *files_->paths[file], position, records.position(record + 1).offset, files_->max_record_bytes, buffer);
      return files_->read({bytes, file, position}, parser);
    } catch (const DataError& error) {
      throw io::BadRecordError(error.report());  // by the index, the other records remain readable
    }
  }

  StagePtr batched(const BatchOptions& options, const StagePtr& gathered) const override {
    return reads_ == 1 ? batches_of(files_, options, gathered) : nullptr;
  }

 private:
  const FilesPtr files_;
  const int reads_;
  const bool deterministic_;
  bool has_access_ = reads_ == 1;
  std::vector<int64_t> ends_;  // if all files have an index: number of records up to the end of each file
  mutable OpenFiles open_;
};

}  // namespace

Dataset read_tfrecord(Files files, TfrecordOptions options) {
  require_at_least("read_tfrecord", "num_parallel_reads", options.num_parallel_reads, 1);
  require_at_least("read_tfrecord", "max_record_bytes", options.max_record_bytes, 1);
  auto opened = std::make_shared<const TfrecordFiles>(table_files(files.paths()), options);
  return Dataset(std::make_shared<ReadTfrecord>(std::move(opened), options));
}

}  // namespace portatune::data
