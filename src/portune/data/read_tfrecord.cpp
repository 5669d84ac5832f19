#include <fcntl.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "portune/base/file_descriptor.h"
#include "portune/data/stage.h"
#include "portune/data/tfrecord_files.h"
#include "portune/io/bad_record.h"
#include "portune/tfrecord.h"

namespace portune::data {
namespace {

using FilesPtr = std::shared_ptr<const TfrecordFiles>;

// One file after the other.
class TfrecordIterator final : public Iterator {
 public:
  TfrecordIterator(FilesPtr files, std::shared_ptr<BadRows> bad_rows)
      : files_(std::move(files)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (begin_file()) {
      if (auto example = rows_->next()) {
        found_any_ = true;
        return example;
      }
      end_file();
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count && begin_file()) {
      skipped += rows_->skip(count - skipped);
      found_any_ |= skipped > 0;
      if (skipped < count) end_file();
    }
    return skipped;
  }

 private:
  // Whether there is a file to read.
  bool begin_file() {
    if (file_ == files_->paths.size()) return false;
    if (!rows_) rows_.emplace(files_, file_, bad_rows_);
    return true;
  }

  void end_file() {
    rows_.reset();
    if (++file_ == files_->paths.size() && !found_any_) throw no_records(*files_);
  }

  FilesPtr files_;
  std::shared_ptr<BadRows> bad_rows_;
  size_t file_ = 0;
  std::optional<TfrecordRows> rows_;
  bool found_any_ = false;
};

// Descriptors of the files that were used last: there may be more files than a process may have open.
class OpenFiles {
 public:
  std::shared_ptr<const FileDescriptor> get(size_t file, const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(open_, file, &Entry::file);
    if (found != open_.end()) return found->descriptor;
    if (open_.size() == kMost) open_.pop_front();
    // Shared, because a thread may read from it while it is dropped here.
    open_.push_back({file, std::make_shared<const FileDescriptor>(FileDescriptor::open(path, O_RDONLY))});
    return open_.back().descriptor;
  }

 private:
  static constexpr size_t kMost = 64;
  struct Entry {
    size_t file;
    std::shared_ptr<const FileDescriptor> descriptor;
  };
  std::mutex mutex_;
  std::deque<Entry> open_;
};

class ReadTfrecord final : public Stage {
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
    const std::string& path = *files_->paths[file];
    const auto descriptor = open_.get(file, path);
    const io::RecordPosition begin = records.position(record);
    std::string buffer;
    io::TfExample parser;
    try {
      const std::string_view bytes =
          io::read_record(descriptor->number(), path, begin, records.position(record + 1).offset, buffer);
      return files_->columns.read(bytes, Origin{files_->paths[file], record + 1}, begin, parser);
    } catch (const DataError& error) {
      throw io::BadRecordError(error.report());  // the index has the others
    }
  }

 private:
  const FilesPtr files_;
  const int reads_;
  const bool deterministic_;
  bool has_access_ = reads_ == 1;
  std::vector<int64_t> ends_;  // where all have an index: how many records end with each file
  mutable OpenFiles open_;
};

}  // namespace

Dataset read_tfrecord(Files files, TfrecordOptions options) {
  require_at_least("read_tfrecord", "num_parallel_reads", options.num_parallel_reads, 1);
  require_at_least("read_tfrecord", "max_record_bytes", options.max_record_bytes, 1);
  return Dataset(std::make_shared<ReadTfrecord>(
      std::make_shared<const TfrecordFiles>(table_files(files.paths()), options), options));
}

}  // namespace portune::data
