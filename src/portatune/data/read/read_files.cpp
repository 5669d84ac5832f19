#include "portatune/data/read/read_files.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/data/read/same_files.h"
#include "portatune/data/tolerance.h"
#include "portatune/error.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

struct ReadFiles final : Stage {
  const std::string verb;
  const std::vector<std::string> paths;
  const OpenFile open;
  ReadFiles(std::string verb, std::vector<std::string> paths, OpenFile open)
      : verb(std::move(verb)), paths(std::move(paths)), open(std::move(open)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override;
};

class FilesIterator final : public Iterator {
 public:
  FilesIterator(const ReadFiles& files, std::shared_ptr<BadRows> bad_rows)
      : verb_(files.verb), paths_(files.paths), open_(files.open), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    for (; next_file_ < paths_.size(); ++next_file_) {
      if (!rows_) begin_file();
      if (auto example = next_row()) return example;
      end_file();
    }
    return std::nullopt;
  }

  nlohmann::json state() const override {
    return {{"stage", verb_},
            {"fingerprints", same_files_.fingerprints()},
            {"file", next_file_},
            {"empty", empty_},
            {"rows", rows_ ? rows_->state() : nlohmann::json()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(verb_, state);
    same_files_.require(saved);
    next_file_ = static_cast<size_t>(saved.count("file", std::ssize(paths_)));
    if (saved.part("rows").is_null() || next_file_ == paths_.size()) return;
    begin_file();
    rows_->restore(saved.part("rows"));
    empty_ = saved.flag("empty");
  }

 private:
  // The next row of the current file, without bad rows that are skipped.
  std::optional<Example> next_row() {
    for (;;) {
      try {
        auto example = rows_->next();
        empty_ = empty_ && !example;
        return example;
      } catch (const io::BadRecordError& error) {
        skip_bad_row(bad_rows_.get(), error);
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

  const std::string verb_;
  std::vector<std::string> paths_;
  OpenFile open_;
  std::shared_ptr<BadRows> bad_rows_;
  size_t next_file_ = 0;
  std::unique_ptr<Iterator> rows_;
  bool empty_ = true;  // whether the current file has given no row yet
  SameFiles same_files_{paths_};
};

std::unique_ptr<Iterator> ReadFiles::iterate(Pass pass) const {
  return std::make_unique<FilesIterator>(*this, pass.bad_rows);
}

}  // namespace

nlohmann::json state_of(std::string_view stage, io::TextPosition position) {
  return {{"stage", stage}, {"offset", position.offset}, {"line", position.line}};
}

io::TextPosition position_in(const SavedState& saved) {
  return {.offset = saved.count("offset"), .line = saved.count("line")};
}

Dataset read_files(const std::string& verb, std::vector<std::string> paths, OpenFile open) {
  paths = table_files(paths);
  if (paths.empty()) throw UsageError({.where = verb, .given = "no files", .expected = "at least one"});
  // Reports a missing validation file before the training, not after it.
  for (const std::string& path : paths) open(path);
  return Dataset(std::make_shared<ReadFiles>(verb, std::move(paths), std::move(open)));
}

}  // namespace portatune::data
