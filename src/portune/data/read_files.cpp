#include "portune/data/read_files.h"

#include "portune/error.h"

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
  explicit FilesIterator(const ReadFiles& files) : paths_(files.paths), open_(files.open) {}

  std::optional<Example> next() override {
    for (; next_file_ < paths_.size(); ++next_file_) {
      if (!rows_) begin_file();
      if (auto example = rows_->next()) {
        empty_ = false;
        return example;
      }
      end_file();
    }
    return std::nullopt;
  }

 private:
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
  size_t next_file_ = 0;
  std::unique_ptr<Iterator> rows_;
  bool empty_ = true;  // whether the current file has given nothing so far
};

std::unique_ptr<Iterator> ReadFiles::iterate(Pass) const { return std::make_unique<FilesIterator>(*this); }

}  // namespace

Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open) {
  if (paths.empty()) throw UsageError({.where = verb, .given = "no files", .expected = "at least one"});
  // A missing validation set should be noticed before the training, not after it.
  for (const std::string& path : paths) open(path);
  return Dataset(std::make_shared<ReadFiles>(std::move(paths), std::move(open)));
}

}  // namespace portune::data
