#include "portatune/tasks/replaced_token_detection.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/base/text/message.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/ops.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_task.h"
#include "portatune/tasks/token_classification.h"

namespace portatune {
namespace {

using Json = nlohmann::ordered_json;

constexpr int32_t kOutsideWords = -1;  // index of the word of a special token and of padding
const std::map<std::string, double> kReplacedPadding = {{"labels", tasks::kNoLabel}, {"word_ids", kOutsideWords}};

// The metrics of one class over all tokens with a label, with the weights of their texts.
class ReplacedTokenMetrics final : public Metrics {
 public:
  explicit ReplacedTokenMetrics(const std::vector<std::string>& names) : of_tokens_(Head::kSigmoid, 2, names) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const auto labels = batch.tensor("labels").as<int32_t>();
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    const auto logits = outputs.tensor("logits").as<float>();
    const size_t length = labels.size() / weights.size();
    std::vector<int32_t> label_of_token;
    std::vector<float> weight_of_token, logit_of_token;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      label_of_token.push_back(labels[i]);
      weight_of_token.push_back(weights[i / length]);
      logit_of_token.push_back(logits[i]);
    }
    data::Example tokens(batch.origin()), scores(batch.origin());
    tokens.set("labels", vector_of(label_of_token)).set(data::kExampleWeight, vector_of(weight_of_token));
    scores.set("logits", vector_of(logit_of_token));
    of_tokens_.update(tokens, scores);
  }
  Scores result() const override { return of_tokens_.result(); }

 private:
  tasks::ClassificationMetrics of_tokens_;
};

// A line of predictions for each text.
class ReplacedLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override {
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    const auto word_of = batch.tensor("word_ids").as<int32_t>();
    const auto word_counts = batch.tensor("word_count").as<int32_t>();
    const auto logits = outputs.tensor("logits").as<float>();
    const size_t length = word_of.size() / weights.size();
    std::string lines;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] == 0) continue;
      const auto of_row = [&](auto values) { return values.subspan(row * length, length); };
      lines += line_of(of_row(word_of), of_row(logits), static_cast<size_t>(word_counts[row]));
    }
    return lines;
  }

 private:
  // The logit of a word is the highest of its tokens'; a word that the model has not seen has none.
  static std::string line_of(std::span<const int32_t> word_of, std::span<const float> logits, size_t words) {
    std::vector<std::optional<float>> logit_of_word(words);
    for (size_t i = 0; i < word_of.size(); ++i) {
      if (word_of[i] == kOutsideWords) continue;
      std::optional<float>& logit = logit_of_word[static_cast<size_t>(word_of[i])];
      logit = std::max(logit.value_or(logits[i]), logits[i]);
    }
    Json replaced = Json::array(), scores = Json::array();
    for (const std::optional<float>& logit : logit_of_word) {
      replaced.push_back(logit ? Json(tasks::predicted_class(Head::kSigmoid, {&*logit, 1})) : Json());
      scores.push_back(logit ? tasks::numbers(tasks::probabilities(Head::kSigmoid, {&*logit, 1})).front() : Json());
    }
    return io::line_of({{"replaced", std::move(replaced)}, {"scores", std::move(scores)}});
  }
};

class ReplacedTokenDetection final : public TextTask {
 public:
  ReplacedTokenDetection(const ModelSource& model, ReplacedTokenDetectionOptions options)
      : TextTask(model, options.max_length), options_(std::move(options)) {
    metrics();  // refuses unknown names
  }

  std::vector<std::string> columns(Labels labels) const override {
    if (labels == Labels::kIgnored) return {options_.tokens_column};
    return {options_.tokens_column, options_.tags_column};
  }
  std::vector<std::string> list_columns() const override { return columns(Labels::kRequired); }

  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override {
    return read_tagged(files, options_.tokens_column, labels == Labels::kRequired ? options_.tags_column : "",
                       std::move(table));
  }
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    return checkpoint().batches(
        encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size,
        kReplacedPadding);
  }
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override {
    return checkpoint().packed_batches(
        encoded(rows.shuffle(order).named("shuffle"), name_of(Labels::kRequired),
                [this](const data::Example& row) { return encode(row, Labels::kRequired); }),
        shapes, kReplacedPadding);
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    const std::vector<std::string> words = tasks::texts_in(row, options_.tokens_column);
    return std::ssize(tokens_of(row, words, options_.max_length + 1).ids) > options_.max_length ? 1 : 0;
  }

  std::unique_ptr<PredictionLines> prediction_lines() const override { return std::make_unique<ReplacedLines>(); }
  std::map<std::string, std::string> settings() const override {
    return {{"max_length", std::to_string(options_.max_length)},
            {"tokens_column", options_.tokens_column},
            {"tags_column", options_.tags_column}};
  }
  std::vector<std::string> inputs() const override { return checkpoint().inputs({"labels"}); }

  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::TextModel& model = checkpoint().model();
    const tasks::TextRows texts(checkpoint(), batch);
    const Value x = model.body().hidden_states(root, texts.rows()).back();
    const Value logits = texts.to_texts(model.logits(models::HeadKind::kReplacedTokenDetection, root, {.x = x}));
    const Value& labels = batch.at("labels");
    const Value is_token = compare(Direction::kGreaterEqual, labels, full({DType::kInt32, {}}, 0));
    return tasks::replaced_token_detection(logits, labels, convert(is_token, DType::kInt32),
                                           batch.at(std::string(data::kExampleWeight)));
  }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<ReplacedTokenMetrics>(options_.metrics); }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder,
                      {.architecture = checkpoint().model().class_name(models::HeadKind::kReplacedTokenDetection)});
  }

 private:
  text::Encoding tokens_of(const data::Example& row, const std::vector<std::string>& words, int64_t max_length) const {
    return data::call_on(row, [&](const data::Example&) {
      return checkpoint().tokenizer().encode_words(words, {.max_length = max_length, .with_offsets = true});
    });
  }

  // 1 for each word that was replaced; zeros if labels are ignored.
  std::vector<int32_t> replaced_in(const data::Example& row, size_t words, Labels labels) const {
    if (labels == Labels::kIgnored) return std::vector<int32_t>(words, 0);
    const std::vector<std::string> given = tasks::texts_in(row, options_.tags_column);
    const auto is_flag = [](const std::string& flag) { return flag == "0" || flag == "1"; };
    if (given.size() != words || !std::ranges::all_of(given, is_flag)) {
      throw tasks::bad_column(row, options_.tags_column,
                              "0 or 1 for each of the " + counted(static_cast<int64_t>(words), "word") +
                                  " in column \"" + options_.tokens_column + "\"");
    }
    std::vector<int32_t> replaced;
    for (const std::string& flag : given) replaced.push_back(flag == "1" ? 1 : 0);
    return replaced;
  }

  data::Example encode(const data::Example& row, Labels labels) const {
    const std::vector<std::string> words = tasks::texts_in(row, options_.tokens_column);
    const std::vector<int32_t> replaced = replaced_in(row, words.size(), labels);
    const text::Encoding encoding = tokens_of(row, words, options_.max_length);
    std::vector<int32_t> label_of;
    for (const int32_t word : encoding.word_ids) label_of.push_back(word < 0 ? 0 : replaced[static_cast<size_t>(word)]);
    data::Example example(row.origin());
    checkpoint().set_ids(example, encoding.ids, encoding.type_ids);
    example.set("labels", vector_of(label_of)).set("word_ids", vector_of(encoding.word_ids));
    tasks::set_weight_of(row, example);
    return example.set("word_count", Tensor({}, {static_cast<int32_t>(words.size())}));
  }

  const ReplacedTokenDetectionOptions options_;
};

}  // namespace

std::unique_ptr<RowTask> replaced_token_detection(const ModelSource& model, ReplacedTokenDetectionOptions options) {
  return std::make_unique<ReplacedTokenDetection>(model, std::move(options));
}

void ReplacedTokenDetectionOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_metrics(fields, metrics);
  fields("tokens_column", tokens_column, "column of a JSON list of words; not for .conll, .txt", {.kept = true});
  fields("tags_column", tags_column, "column of a list of 0 and 1: 1 for a replaced word",
         {.use = OptionUse::kLabels, .kept = true});
}

const TaskSpec& replaced_token_detection_spec() {
  using Options = ReplacedTokenDetectionOptions;
  static const TaskSpec kSpec = task_spec<Options>(
      {.name = "replaced-token-detection",
       .classes = {"ElectraForPreTraining"},
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .make = [](const TaskContext& context,
                  const Options& options) { return replaced_token_detection(context.model, options); },
       .sample_rows =
           [](const RowTask& task, const Options& options) {
             data::Example row = tasks::sample_row(task);
             row.set(options.tokens_column, R"(["a"])");
             row.set(options.tags_column, "[0]");
             return std::vector{row};
           }});
  return kSpec;
}

}  // namespace portatune
