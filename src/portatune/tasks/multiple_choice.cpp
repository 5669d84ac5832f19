#include "portatune/tasks/multiple_choice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/metrics.h"
#include "portatune/ops.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_task.h"

namespace portatune {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEndings = "endings";  // a JSON list, for predictions

// Reshapes the columns of texts from [batch, choices, seq] to [batch * choices, seq], the form in packed batches.
Columns flattened(Columns batch, const std::map<std::string, double>& columns) {
  for (const auto& [name, padding] : columns) {
    Value& x = batch.at(name);
    x = reshape(x, {-1, x.shape().back()});
  }
  return batch;
}

class ChoiceMetrics final : public Metrics {
 public:
  void update(const data::Example& batch, const data::Example& outputs) override {
    const auto labels = batch.tensor("labels").as<int32_t>();
    const Tensor& logits = outputs.tensor("logits");
    accuracy_.update(metrics::argmax(logits.as<float>(), logits.shape()[1]),
                     std::vector<float>(labels.begin(), labels.end()), batch.tensor(data::kExampleWeight).as<float>());
  }
  Scores result() const override {
    const auto accuracy = accuracy_.result();
    return accuracy ? Scores{{"accuracy", *accuracy}} : Scores{};
  }

 private:
  metrics::Accuracy accuracy_;
};

std::string line_of(const std::string& endings, std::span<const float> logits) {
  const std::vector<float> probabilities = tasks::probabilities(Head::kSoftmax, logits);
  const int64_t best = tasks::predicted_class(Head::kSoftmax, logits);
  const Json scores = tasks::numbers(probabilities);
  const Json line = {{"label", best},
                     {"ending", Json::parse(endings)[static_cast<size_t>(best)]},
                     {"score", scores[static_cast<size_t>(best)]},
                     {"scores", scores},
                     {"logits", tasks::numbers(logits)}};
  return io::line_of(line);
}

class ChoiceLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override {
    const Tensor& logits = outputs.tensor("logits");
    const std::vector<std::string>& endings = batch.texts(kEndings);
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    const auto choices = static_cast<size_t>(logits.shape()[1]);
    std::string lines;
    for (size_t row = 0; row < endings.size(); ++row) {
      if (weights[row] != 0) lines += line_of(endings[row], logits.as<float>().subspan(row * choices, choices));
    }
    return lines;
  }
};

class MultipleChoice final : public TextTask {
 public:
  MultipleChoice(const ModelSource& model, MultipleChoiceOptions options)
      : TextTask(model, options.max_length),
        options_(std::move(options)),
        header_column_(options_.header_column.value_or(options_.context_column == "sent1" ? "sent2" : "")) {}

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> columns = {options_.context_column};
    if (!header_column_.empty()) columns.push_back(header_column_);
    const std::vector<std::string> one = {options_.endings_column};
    const std::vector<std::string>& endings = one.front().empty() ? options_.ending_columns : one;
    columns.insert(columns.end(), endings.begin(), endings.end());
    if (labels == Labels::kRequired) columns.push_back(options_.label_column);
    return columns;
  }

  std::vector<std::string> list_columns() const override { return {options_.endings_column}; }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    return checkpoint().batches(
        encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size);
  }
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override {
    constexpr auto kLabels = Labels::kRequired;
    return checkpoint().packed_batches(encoded(rows.shuffle(order).named("shuffle"), name_of(kLabels),
                                               [this](const data::Example& row) { return encode(row, kLabels); }),
                                       shapes);
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    const std::string begin = beginning_of(row);
    return std::ranges::count_if(endings_in(row), [&](const std::string& ending) {
      const std::string second = begin + ending;
      return checkpoint().is_cut({.first = row.text(options_.context_column), .second = second});
    });
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override { return std::make_unique<ChoiceLines>(); }
  std::map<std::string, std::string> settings() const override {
    std::string columns;
    for (const std::string& column : this->columns(Labels::kRequired)) columns += column + ",";
    std::map<std::string, std::string> settings = tasks::settings_of({.label_smoothing = options_.label_smoothing});
    settings["max_length"] = std::to_string(options_.max_length);
    settings["columns"] = columns;
    return settings;
  }

  std::vector<std::string> inputs() const override { return checkpoint().inputs({"labels"}); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const tasks::TextRows texts(checkpoint(), flattened(batch, checkpoint().padding()));
    const models::TextModel& model = checkpoint().model();
    const Value x = texts.to_texts(model.body().hidden_states(root, texts.rows()).back());
    const Value scores = model.logits(models::HeadKind::kMultipleChoice, root, {.x = x, .text = texts.texts()});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return tasks::sequence_classification(tasks::Problem::kSingleLabel, reshape(scores, {weights.shape()[0], -1}),
                                          batch.at("labels"), weights,
                                          tasks::loss_options({.label_smoothing = options_.label_smoothing}, root));
  }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<ChoiceMetrics>(); }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kMultipleChoice)});
  }

 private:
  std::vector<std::string> endings_in(const data::Example& row) const {
    std::vector<std::string> endings;
    if (options_.endings_column.empty()) {
      for (const std::string& column : options_.ending_columns) endings.push_back(row.text(column));
    } else {
      endings = tasks::texts_in(row, options_.endings_column);
    }
    if (endings.size() >= 2) return endings;
    throw DataError({.where = to_string(row.origin()),
                     .given = std::to_string(endings.size()) + " endings",
                     .expected = "at least two endings"});
  }

  // The common beginning of every ending.
  std::string beginning_of(const data::Example& row) const {
    return header_column_.empty() ? "" : row.text(header_column_) + " ";
  }

  int32_t label_in(const data::Example& row, size_t endings) const {
    const auto label = tasks::class_number(row.text(options_.label_column));
    if (label && *label < static_cast<int64_t>(endings)) return static_cast<int32_t>(*label);
    throw tasks::bad_column(row, options_.label_column,
                            "the index of the right ending, 0 to " + std::to_string(endings - 1));
  }

  data::Example encode(const data::Example& row, Labels labels) const {
    const std::vector<std::string> endings = endings_in(row);
    const std::string begin = beginning_of(row);
    std::vector<data::Example> pairs;
    for (const std::string& ending : endings) {
      const std::string second = begin + ending;
      pairs.push_back(checkpoint().encode(row, {.first = row.text(options_.context_column), .second = second}));
    }
    data::Example example(row.origin());
    for (const auto& [column, value] : checkpoint().padding()) example.set(column, side_by_side(pairs, column, value));
    example.set("labels", Tensor({}, {labels == Labels::kRequired ? label_in(row, endings.size()) : 0}));
    tasks::set_weight_of(row, example);
    return example.set(kEndings, Json(endings).dump());
  }

  // Stacks the texts of an example: [choices, tokens of the longest].
  static Tensor side_by_side(const std::vector<data::Example>& pairs, const std::string& column, double pad_value) {
    int64_t longest = 0;
    for (const data::Example& pair : pairs) longest = std::max(longest, pair.tensor(column).shape()[0]);
    Tensor result({DType::kInt32, {std::ssize(pairs), longest}});
    const std::span<int32_t> all = result.as<int32_t>();
    std::ranges::fill(all, static_cast<int32_t>(pad_value));
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::ranges::copy(pairs[i].tensor(column).as<int32_t>(), all.subspan(i * static_cast<size_t>(longest)).begin());
    }
    return result;
  }

  const MultipleChoiceOptions options_;
  const std::string header_column_;
};

}  // namespace

std::unique_ptr<RowTask> multiple_choice(const ModelSource& model, MultipleChoiceOptions options) {
  return std::make_unique<MultipleChoice>(model, std::move(options));
}

void MultipleChoiceOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_label_column(fields, label_column);
  describe_label_smoothing(fields, label_smoothing);
  fields("context_column", context_column, "column of the text before the endings", {.kept = true});
  fields("header_column", header_column, "column of what every ending begins with",
         {.default_help = "sent2 with sent1", .kept = true});
  fields("ending_columns", ending_columns, "columns of the endings",
         {.default_help = "ending0,...,ending3", .kept = true});
  fields("endings_column", endings_column, "column of a JSON list of them instead", {.kept = true});
}

const TaskSpec& multiple_choice_spec() {
  using Options = MultipleChoiceOptions;
  static const TaskSpec kSpec = task_spec<Options>(
      {.name = "multiple-choice",
       .classes = {"ForMultipleChoice"},
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .pipeline = "multiple-choice",
       .make = [](const TaskContext& context, const Options& o) { return multiple_choice(context.model, o); },
       .sample_rows =
           [](const RowTask& task, const Options& options) {
             data::Example row = tasks::sample_row(task);
             tasks::set_if_read(row, options.label_column, "0");
             tasks::set_if_read(row, options.endings_column, R"(["a", "a"])");
             return std::vector{row};
           }});
  return kSpec;
}

}  // namespace portatune
