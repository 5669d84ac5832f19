#include "portune/data/read_files.h"

#include "portune/data/tolerance.h"
#include "portune/io/bad_record.h"
#include "portune/sources.h"

namespace portune::data {
namespace {

struct ReadFiles final : Stage {
  const std::vector<std::string> paths;
  const OpenFile open;
  ReadFiles(std::vector<std::string> paths, OpenFile open) : paths(std::move(paths)), open(std::move(open)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override;
};

class FilesIterator final : public Iterator {
 public:
  FilesIterator(const ReadFiles& files, std::shared_ptr<BadRows> bad_rows)
      : paths_(files.paths), open_(files.open), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    for (; next_file_ < paths_.size(); ++next_file_) {
      if (!rows_) begin_file();
      if (auto example = next_row()) return example;
      end_file();
    }
    return std::nullopt;
  }

 private:
  // The next row of the file that can be read.
  std::optional<Example> next_row() {
    for (;;) {
      try {
        auto example = rows_->next();
        empty_ = empty_ && !example;
        return example;
      } catch (const io::BadRecordError& error) {
        pass_over(bad_rows_.get(), error);
        empty_ = false;
      }
    }
  }

  void begin_file() {
    rows_ = open_(paths_[next_file_]);
    empty_ = true;
  }

  void end_file() {
    rows_.reset();
    if (!empty_) return;
    throw DataError({.where = paths_[next_file_], .given = "no rows", .expected = "at least one"});
  }

  std::vector<std::string> paths_;
  OpenFile open_;
  std::shared_ptr<BadRows> bad_rows_;
  size_t next_file_ = 0;
  std::unique_ptr<Iterator> rows_;
  bool empty_ = true;  // whether the current file has given nothing so far
};

std::unique_ptr<Iterator> ReadFiles::iterate(Pass pass) const {
  return std::make_unique<FilesIterator>(*this, pass.bad_rows);
}

}  // namespace

Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open) {
  paths = table_files(paths);
  if (paths.empty()) throw UsageError({.where = verb, .given = "no files", .expected = "at least one"});
  // A missing validation set should be noticed before the training, not after it.
  for (const std::string& path : paths) open(path);
  return Dataset(std::make_shared<ReadFiles>(std::move(paths), std::move(open)));
}

}  // namespace portune::data
