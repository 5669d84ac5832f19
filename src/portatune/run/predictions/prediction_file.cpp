#include "portatune/run/predictions/prediction_file.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/text/csv.h"
#include "portatune/io/text/json.h"
#include "portatune/run/predictions/numbered_rows.h"
#include "portatune/run/predictions/prediction_lines.h"

namespace portatune::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRow = "row";
constexpr const char* kSkipped = "skipped";

void require_no_clash(const std::vector<std::string>& keep, const Json& prediction) {
  for (const std::string& column : keep) {
    if (column != kRow && column != kSkipped && !prediction.contains(column)) continue;
    throw UsageError({.where = "--keep-columns " + column,
                      .given = "a column whose name predictions use themselves",
                      .expected = "another name",
                      .fix = "--rename-columns " + column + "=given_" + column + " --keep-columns given_" + column});
  }
}

class JsonLines final : public PredictionFormat {
 public:
  explicit JsonLines(std::vector<std::string> keep) : keep_(std::move(keep)) {}

  std::string text_of(const NumberedRow& row, const Json& prediction) override {
    Json line = {{kRow, row.number}};
    line.update(row.kept);
    if (row.skipped.empty()) {
      require_no_clash(keep_, prediction);
      line.update(prediction);
    } else {
      line[kSkipped] = row.skipped;
    }
    return io::line_of(line);
  }

 private:
  const std::vector<std::string> keep_;
};

// A prediction with a value for each column.
Json flattened(const Json& prediction) {
  Json flat = Json::object();
  for (const auto& [name, value] : prediction.items()) {
    if (name == "logits") continue;
    if (name == "scores" && value.is_structured()) {
      for (const auto& [label, score] : value.items()) flat["score_" + label] = score;  // list: index as label
    } else if (name == "embedding") {
      for (const auto& [index, number] : value.items()) flat[name + "_" + index] = number;
    } else {
      flat[name] = value;
    }
  }
  return flat;
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class Table final : public PredictionFormat {
 public:
  Table(bool is_csv, std::vector<std::string> keep, bool may_skip)
      : is_csv_(is_csv), keep_(std::move(keep)), may_skip_(may_skip) {}

  // Holds skipped rows back until the first prediction, which defines the columns.
  std::string text_of(const NumberedRow& row, const Json& prediction) override {
    const bool is_predicted = row.skipped.empty();
    if (!has_header_ && !is_predicted) {
      waiting_.push_back(row);
      return {};
    }
    const Json flat = is_predicted ? flattened(prediction) : Json::object();
    const std::string before = has_header_ ? "" : begin(flat);
    require_columns(row, flat);
    return before + line_of(row, flat);
  }
  std::string finish() override { return has_header_ ? "" : begin(Json::object()); }

 private:
  // Throws DataError for a prediction that has more than the columns of the header, which the first one gave.
  void require_columns(const NumberedRow& row, const Json& prediction) const {
    for (const auto& [name, value] : prediction.items()) {
      if (std::ranges::find(predicted_, name) != predicted_.end()) continue;
      throw DataError({.where = "the prediction of row " + std::to_string(row.number),
                       .given = "\"" + name + "\", which the first prediction does not have",
                       .expected = "the same names in all predictions of a table",
                       .fix = "write a .jsonl file"});
    }
  }

  // The header, then the rows that were held back.
  std::string begin(const Json& first) {
    require_no_clash(keep_, first);
    has_header_ = true;
    for (const auto& [name, value] : first.items()) predicted_.push_back(name);
    std::vector<std::string> header = {kRow};
    header.insert(header.end(), keep_.begin(), keep_.end());
    header.insert(header.end(), predicted_.begin(), predicted_.end());
    if (may_skip_) header.emplace_back(kSkipped);
    std::string text = joined(header);
    for (const NumberedRow& row : std::exchange(waiting_, {})) text += line_of(row, Json::object());
    return text;
  }

  std::string line_of(const NumberedRow& row, const Json& prediction) const {
    std::vector<std::string> cells = {std::to_string(row.number)};
    const auto add = [&](const Json& from, const std::string& name) {
      const auto found = from.find(name);
      cells.push_back(found == from.end() ? "" : plain(*found));
    };
    for (const std::string& name : keep_) add(row.kept, name);
    for (const std::string& name : predicted_) add(prediction, name);
    if (may_skip_) cells.push_back(row.skipped);
    return joined(cells);
  }

  std::string joined(const std::vector<std::string>& cells) const {
    std::string line;
    for (const std::string& cell : cells) {
      if (&cell != &cells.front()) line += is_csv_ ? ',' : '\t';
      line += is_csv_ ? io::csv_field(cell) : without_breaks(cell);
    }
    return line + "\n";
  }

  // Quotes are ordinary characters in .tsv, so they cannot be escaped.
  static std::string without_breaks(std::string text) {
    const auto is_break = [](char c) { return c == '\t' || c == '\r' || c == '\n'; };
    std::ranges::replace_if(text, is_break, ' ');
    return text;
  }

  const bool is_csv_;
  const std::vector<std::string> keep_;
  const bool may_skip_;
  bool has_header_ = false;
  std::vector<std::string> predicted_;  // columns of the predictions
  std::vector<NumberedRow> waiting_;
};

// Writes the lines of the task unchanged.
class PlainFile final : public PredictionSink {
 public:
  PlainFile(TextOutput& file, std::unique_ptr<PredictionLines> lines) : file_(file), lines_(std::move(lines)) {}

  void add(const data::Example& batch, const data::Example& outputs) override {
    file_.write(lines_->take(batch, outputs));
  }
  void finish() override { file_.write(lines_->finish()); }

 private:
  TextOutput& file_;
  const std::unique_ptr<PredictionLines> lines_;
};

// Writes the lines of a task whose lines are predictions of one row each, in the order of the rows.
class RowFile final : public PredictionSink {
 public:
  RowFile(TextOutput& file, std::unique_ptr<PredictionFormat> format, const ModelOptions& model, const RowTask& task,
          const data::Dataset& rows)
      : file_(file),
        lines_(task.prediction_lines()),
        rows_(rows, model.table.extra_columns, model.bad_rows),
        format_(std::move(format)) {}

  void add(const data::Example& batch, const data::Example& outputs) override {
    for (const data::Origin& origin : batch.row_origins()) add_row(origin);
    write(lines_->take(batch, outputs));
  }

  void finish() override {
    write(lines_->finish());
    if (!origins_.empty()) throw differs(written_, written_ + std::ssize(origins_));
    for (const NumberedRow& row : rows_.rest()) file_.write(format_->text_of(row, {}));
    file_.write(format_->finish());
  }

 private:
  // Several examples of one row, windows of a question for instance, follow each other.
  void add_row(const data::Origin& origin) {
    const bool is_same = last_ && origin.file && last_->file == origin.file && last_->row == origin.row;
    if (!is_same) origins_.push_back(origin);
    last_ = origin;
  }

  void write(std::string_view lines) {
    for (const std::string& line : lines_of(lines)) {
      if (origins_.empty()) throw differs(written_ + 1, written_);
      const auto prediction = nlohmann::ordered_json::parse(line);
      for (const NumberedRow& row : rows_.until(origins_.front())) file_.write(format_->text_of(row, prediction));
      origins_.pop_front();
      ++written_;
    }
  }

  static DataError differs(int64_t lines, int64_t rows) {
    return DataError({.where = "predictions",
                      .given = counted(lines, "line") + " for " + counted(rows, "row"),
                      .expected = "a line for each row"});
  }

  TextOutput& file_;
  const std::unique_ptr<PredictionLines> lines_;
  NumberedRows rows_;
  const std::unique_ptr<PredictionFormat> format_;
  std::optional<data::Origin> last_;
  std::deque<data::Origin> origins_;  // origins of rows whose lines are still missing
  int64_t written_ = 0;
};

void require_no_rows(const std::filesystem::path& output, const ModelOptions& model, const std::string& lines) {
  if (is_table(output)) {
    throw UsageError({.where = "--output " + output.string(),
                      .given = lines + ", which make no table",
                      .expected = "a name that ends in .jsonl"});
  }
  if (!model.table.extra_columns.empty()) {
    throw UsageError({.where = "--keep-columns", .given = lines, .expected = "a task with a line for each row"});
  }
}

}  // namespace

bool is_table(const std::filesystem::path& output) {
  return output.extension() == ".csv" || output.extension() == ".tsv";
}

std::unique_ptr<PredictionFormat> prediction_format(const std::filesystem::path& output, std::vector<std::string> keep,
                                                    bool may_skip) {
  if (!is_table(output)) return std::make_unique<JsonLines>(std::move(keep));
  return std::make_unique<Table>(output.extension() == ".csv", std::move(keep), may_skip);
}

std::unique_ptr<PredictionSink> prediction_file(const std::filesystem::path& output, const ModelOptions& model,
                                                const RowTask& task, const data::Dataset& rows, const OpenText& open) {
  std::unique_ptr<PredictionLines> document = output.extension() == ".json" ? task.prediction_document() : nullptr;
  if (document != nullptr) {
    require_no_rows(output, model, "a document of its own form");
    return std::make_unique<PlainFile>(open(), std::move(document));
  }
  const std::vector<std::string>& keep = model.table.extra_columns;
  if (task.predicts_rows()) {
    return std::make_unique<RowFile>(open(), prediction_format(output, keep, model.bad_rows != nullptr), model, task,
                                     rows);
  }
  require_no_rows(output, model, "predictions of blocks or pairs of rows");
  return std::make_unique<PlainFile>(open(), task.prediction_lines());
}

}  // namespace portatune::run
