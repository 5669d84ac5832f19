#include "portatune/cli/prediction_file.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/message.h"
#include "portatune/cli/numbered_rows.h"
#include "portatune/cli/prediction_format.h"
#include "portatune/cli/result_file.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

// Writes the lines of the task unchanged.
class PlainFile final : public run::PredictionSink {
 public:
  PlainFile(const std::filesystem::path& output, std::unique_ptr<PredictionLines> lines)
      : file_(output), lines_(std::move(lines)) {}

  void add(const data::Example& batch, const data::Example& outputs) override {
    file_.write(lines_->take(batch, outputs));
  }
  void finish() override {
    file_.write(lines_->finish());
    file_.finish();
  }

 private:
  ResultFile file_;
  const std::unique_ptr<PredictionLines> lines_;
};

// Writes the lines of a task whose lines are predictions of one row each, in the order of the rows.
class RowFile final : public run::PredictionSink {
 public:
  RowFile(const PredictArguments& a, const RowTask& task, const data::Dataset& rows)
      : file_(a.output),
        lines_(task.prediction_lines()),
        rows_(rows, a.model.table.extra_columns, a.model.bad_rows),
        format_(prediction_format(a.output, a.model.table.extra_columns, a.model.bad_rows != nullptr)) {}

  void add(const data::Example& batch, const data::Example& outputs) override {
    for (const data::Origin& origin : batch.row_origins()) add_row(origin);
    write(lines_->take(batch, outputs));
  }

  void finish() override {
    write(lines_->finish());
    if (!origins_.empty()) throw differs(written_, written_ + std::ssize(origins_));
    for (const NumberedRow& row : rows_.rest()) file_.write(format_->text_of(row, {}));
    file_.write(format_->finish());
    file_.finish();
  }

 private:
  // Several examples of one row, windows of a question for instance, follow each other.
  void add_row(const data::Origin& origin) {
    const bool is_same = last_ && origin.file && last_->file == origin.file && last_->row == origin.row;
    if (!is_same) origins_.push_back(origin);
    last_ = origin;
  }

  void write(std::string_view lines) {
    while (!lines.empty()) {
      const size_t end = lines.find('\n');
      if (origins_.empty()) throw differs(written_ + 1, written_);
      const auto prediction = nlohmann::ordered_json::parse(lines.substr(0, end));
      for (const NumberedRow& row : rows_.until(origins_.front())) file_.write(format_->text_of(row, prediction));
      origins_.pop_front();
      ++written_;
      lines.remove_prefix(end + 1);
    }
  }

  static DataError differs(int64_t lines, int64_t rows) {
    return DataError({.where = "predictions",
                      .given = counted(lines, "line") + " for " + counted(rows, "row"),
                      .expected = "a line for each row"});
  }

  ResultFile file_;
  const std::unique_ptr<PredictionLines> lines_;
  NumberedRows rows_;
  const std::unique_ptr<PredictionFormat> format_;
  std::optional<data::Origin> last_;
  std::deque<data::Origin> origins_;  // origins of rows whose lines are still missing
  int64_t written_ = 0;
};

void require_no_rows(const PredictArguments& a, const std::string& lines) {
  if (is_table(a.output)) {
    throw UsageError({.where = "--output " + a.output.string(),
                      .given = lines + ", which make no table",
                      .expected = "a name that ends in .jsonl"});
  }
  if (!a.model.table.extra_columns.empty()) {
    throw UsageError({.where = "--keep-columns", .given = lines, .expected = "a task with a line for each row"});
  }
}

}  // namespace

std::unique_ptr<run::PredictionSink> prediction_file(const PredictArguments& a, const RowTask& task,
                                                     const data::Dataset& rows) {
  std::unique_ptr<PredictionLines> document = a.output.extension() == ".json" ? task.prediction_document() : nullptr;
  if (document != nullptr) {
    require_no_rows(a, "a document of its own form");
    return std::make_unique<PlainFile>(a.output, std::move(document));
  }
  if (task.predicts_rows()) return std::make_unique<RowFile>(a, task, rows);
  require_no_rows(a, "predictions of blocks or pairs of rows");
  return std::make_unique<PlainFile>(a.output, task.prediction_lines());
}

}  // namespace portatune::cli
