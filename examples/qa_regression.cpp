// A custom task in one file outside of the library: two inputs, three heads with a loss each, its own metrics, files
// and predictions. Linked into the command it is `--task qa-regression`:
//   portatune fit --task qa-regression --model roberta-base --train train.csv --folds 5 --group-column question_title
//       --test test.csv --output quest
//
// It rates questions and answers by 30 numbers between 0 and 1, the problem of Kaggle's "Google QUEST Q&A Labeling"
// (2019-2020). One encoder reads both sides, each part between <s> and </s> (or the tokenizer's tokens in their place),
// the kind of text first:
//   <s> question </s><s> TITLE </s><s> BODY </s>      <s> answer </s><s> ANSWER </s>
// The question head sees the question, the answer head the answer, the joint head both and their product. The first two
// rate their own targets, the joint one all; a prediction is the mean of the two ratings of a target.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "portatune/portatune.h"

namespace {

using namespace portatune;
using nlohmann::json;
using nn::Scope;

constexpr const char* kTargets[] = {"question_asker_intent_understanding",
                                    "question_body_critical",
                                    "question_conversational",
                                    "question_expect_short_answer",
                                    "question_fact_seeking",
                                    "question_has_commonly_accepted_answer",
                                    "question_interestingness_others",
                                    "question_interestingness_self",
                                    "question_multi_intent",
                                    "question_not_really_a_question",
                                    "question_opinion_seeking",
                                    "question_type_choice",
                                    "question_type_compare",
                                    "question_type_consequence",
                                    "question_type_definition",
                                    "question_type_entity",
                                    "question_type_instructions",
                                    "question_type_procedure",
                                    "question_type_reason_explanation",
                                    "question_type_spelling",
                                    "question_well_written",
                                    "answer_helpful",
                                    "answer_level_of_information",
                                    "answer_plausible",
                                    "answer_relevance",
                                    "answer_satisfaction",
                                    "answer_type_instructions",
                                    "answer_type_procedure",
                                    "answer_type_reason_explanation",
                                    "answer_well_written"};
constexpr int64_t kCount = std::ssize(kTargets);
constexpr const char* kRatingsFile = "ratings.json";
constexpr const char* kArchitecture = "QuestModel";

int64_t question_count() {
  return std::ranges::count_if(kTargets, [](std::string_view name) { return name.starts_with("question_"); });
}

// ---- the model

// Mean over the tokens of a text; zeros for rows without tokens, which only fill up the last batch. x [batch, seq,
// hidden], mask int32 [batch, seq].
Value average_pool(const Value& x, const Value& mask) {
  const Value weight = expand_dims(convert(mask, DType::kFloat32), 2);
  const Value count = sum(weight, {1});
  return sum(convert(x, DType::kFloat32) * weight, {1}) / maximum(count, full(count.type(), 1));
}

// Context gating: sigmoid(W x + b) x. Miech, Laptev, Sivic 2017, arXiv:1706.06905, section 3.2.
Value context_gating(const Scope& s, const Value& x) { return logistic(nn::linear(s, x, x.shape().back())) * x; }

Value head(const Scope& s, const Value& x, int64_t targets, double dropout_rate) {
  const Value gated = context_gating(s / "gate", nn::dropout(s, x, dropout_rate));
  return nn::linear(s / "classifier", gated, targets);
}

// ---- ratings of the training set, and predictions with their distribution

// Sorted ratings of each target.
using Ratings = std::vector<std::vector<float>>;

void write_ratings(const std::filesystem::path& file, const Ratings& ratings) {
  json columns = json::object();
  for (size_t t = 0; t < ratings.size(); ++t) columns[kTargets[t]] = ratings[t];
  std::ofstream stream(file);
  stream << columns.dump() << "\n";
  if (!stream.flush()) throw IoError({.where = file.string(), .given = "a write error"});
}

Ratings read_ratings(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw NotFoundError(
        {.where = file.string(), .given = "no such file", .expected = "a model trained with --task qa-regression"});
  }
  try {
    const json columns = json::parse(stream);
    Ratings ratings;
    for (const char* target : kTargets) ratings.push_back(columns.at(target).get<std::vector<float>>());
    return ratings;
  } catch (const json::exception& error) {
    throw CheckpointError({.where = file.string(), .given = error.what(), .expected = "the ratings of each target"});
  }
}

// The ratings in the training set have only a few values, and the rank correlation counts ties. So the prediction of
// rank r of n becomes the rating of the same rank there. If that makes all equal, predictions stay unchanged.
std::vector<float> match_ranks(const std::vector<float>& predictions, const std::vector<float>& ratings) {
  if (ratings.empty() || predictions.empty()) return predictions;
  std::vector<size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(predictions[i], i); });
  std::vector<float> matched(predictions.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;  // last of equal predictions
    while (last + 1 < order.size() && predictions[order[last + 1]] == predictions[order[first]]) ++last;
    const float rating = ratings[(first + last + 1) * ratings.size() / (2 * order.size())];
    for (; first <= last; ++first) matched[order[first]] = rating;
  }
  const bool constant = std::ranges::adjacent_find(matched, std::not_equal_to()) == matched.end();
  return constant ? predictions : matched;
}

// Appends values by target, without the rows that only fill up a batch; `values` is [rows, kCount].
void append(const Tensor& values, const data::Example& batch, std::vector<std::vector<float>>& columns) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    for (size_t t = 0; t < columns.size(); ++t) {
      columns[t].push_back(values.as<float>()[row * columns.size() + t]);
    }
  }
}

std::optional<double> spearman(const std::vector<float>& predictions, const std::vector<float>& targets) {
  metrics::SpearmanCorrelation correlation;
  correlation.update(predictions, targets);
  return correlation.result();
}

// "spearman": the mean over the targets; "spearman_matched": the same after match_ranks(). A target that is constant in
// all rows has no correlation and is left out.
class QuestMetrics final : public Metrics {
 public:
  explicit QuestMetrics(const Ratings& ratings) : ratings_(ratings) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    append(outputs.tensor("ratings"), batch, predictions_);
    append(batch.tensor("targets"), batch, targets_);
  }

  Scores result() const override {
    double raw = 0, matched = 0;
    int64_t defined = 0;
    for (size_t t = 0; t < targets_.size(); ++t) {
      const auto of_raw = spearman(predictions_[t], targets_[t]);
      const auto of_matched = spearman(match_ranks(predictions_[t], ratings_[t]), targets_[t]);
      if (!of_raw || !of_matched) continue;
      raw += *of_raw;
      matched += *of_matched;
      ++defined;
    }
    if (defined == 0) return {};
    const auto count = static_cast<double>(defined);
    return {{"spearman", raw / count}, {"spearman_matched", matched / count}};
  }

 private:
  const Ratings& ratings_;
  std::vector<std::vector<float>> predictions_{kCount}, targets_{kCount};
};

// Writes {"question_well_written": 0.83, ...} for each row, all at the end, because ranks depend on all rows.
class QuestLines final : public PredictionLines {
 public:
  /// ratings  ratings to match; null: predictions stay unchanged
  explicit QuestLines(const Ratings* ratings) : ratings_(ratings) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    append(outputs.tensor("ratings"), batch, predictions_);
    return {};
  }

  std::string finish() override {
    for (int64_t t = 0; ratings_ != nullptr && t < kCount; ++t) {
      predictions_[t] = match_ranks(predictions_[t], (*ratings_)[t]);
    }
    std::string lines;
    for (size_t row = 0; row < predictions_[0].size(); ++row) {
      nlohmann::ordered_json line;
      for (int64_t t = 0; t < kCount; ++t) line[kTargets[t]] = std::round(predictions_[t][row] * 1e6) / 1e6;
      lines += line.dump() + "\n";
    }
    return lines;
  }

 private:
  const Ratings* const ratings_;
  std::vector<std::vector<float>> predictions_{kCount};
};

// ---- the task

float rating_in(const data::Example& row, const char* target) {
  const std::string& text = row.text(target);
  char* end = nullptr;
  const float rating = std::strtof(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && rating >= 0 && rating <= 1) return rating;
  throw DataError({.where = to_string(row.origin()),
                   .given = "\"" + text + "\" in column \"" + target + "\"",
                   .expected = "a rating between 0 and 1"});
}

Ratings ratings_in(const TaskContext& context) {
  Ratings ratings(kCount);
  data::TableOptions options = context.table;
  options.columns.assign(std::begin(kTargets), std::end(kTargets));
  const auto is_rated = [](const data::Example& row) {
    for (const char* target : kTargets) rating_in(row, target);
    return true;
  };
  const data::Dataset rows = data::read_table(context.files, options).filter(is_rated);
  for (const data::Example& row : context.readable(rows).iterate()) {
    for (int64_t t = 0; t < kCount; ++t) ratings[t].push_back(rating_in(row, kTargets[t]));
  }
  for (std::vector<float>& column : ratings) std::ranges::sort(column);
  return ratings;
}

struct QuestOptions {
  int64_t max_length = 128;
  double dropout = 0.1;
  bool match_ranks = false;

  void describe(OptionFields& fields) {
    describe_max_length(fields, max_length);
    fields("dropout", dropout, "dropout before each head", {.below = 1, .use = OptionUse::kTraining});
    fields("match_ranks", match_ranks, "predict ratings of the training set, matched by rank", {.kept = true});
  }
};

class Quest final : public TextTask {
 public:
  Quest(const TaskContext& context, const QuestOptions& options)
      : TextTask(context.model, options.max_length),
        dropout_(options.dropout),
        match_ranks_(options.match_ranks),
        ratings_(context.classes == Classes::kOfRows ? ratings_in(context)
                                                     : read_ratings(context.model.folder / kRatingsFile)) {
    if (!checkpoint().tokenizer().cls_id() || !checkpoint().tokenizer().sep_id()) {
      throw CheckpointError({.where = context.model.folder.string(),
                             .given = "a tokenizer without cls_token and sep_token",
                             .expected = "an encoder such as BERT or RoBERTa"});
    }
  }

  // Conversion of rows to examples.

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> names = {"question_title", "question_body", "answer"};
    if (labels == Labels::kRequired) names.insert(names.end(), std::begin(kTargets), std::end(kTargets));
    return names;
  }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    return checkpoint().batches_padded_with(
        rows.map([this, labels](const data::Example& row) { return encode(row, labels); }), size, padding_of_both());
  }

  std::map<std::string, std::string> settings() const override {
    return {{"max_length", std::to_string(checkpoint().max_length())}, {"dropout", std::to_string(dropout_)}};
  }

  // Forward pass.

  std::vector<std::string> inputs() const override {
    std::vector<std::string> names = {"targets", std::string(data::kExampleWeight)};
    for (const auto& [column, value] : padding_of_both()) names.push_back(column);
    return names;
  }

  Forward forward(const Scope& root, const Columns& batch) const override {
    const auto [question, answer] = encoded(root, batch);
    const Value both = concatenate({question, answer, question * answer}, 1);
    const int64_t questions = question_count();
    const Value alone = concatenate({head(root / "question_head", question, questions, dropout_),
                                     head(root / "answer_head", answer, kCount - questions, dropout_)},
                                    1);
    const Value joint = head(root / "joint_head", both, kCount, dropout_);
    const Value& targets = batch.at("targets");
    const Value losses = mean(sigmoid_cross_entropy(alone, targets) + sigmoid_cross_entropy(joint, targets), {1});
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    return {.loss_sum = sum(losses * 0.5 * weights),
            .weight_sum = sum(weights),
            .outputs = {{"ratings", (logistic(alone) + logistic(joint)) * 0.5}}};
  }

  // Use of its outputs.

  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<QuestMetrics>(ratings_); }
  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<QuestLines>(match_ranks_ ? &ratings_ : nullptr);
  }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder, {.architecture = kArchitecture});
    write_ratings(folder / kRatingsFile, ratings_);
  }

 private:
  std::map<std::string, double> padding_of_both() const {
    std::map<std::string, double> padding = checkpoint().padding("question_");
    padding.merge(checkpoint().padding("answer_"));
    return padding;
  }

  data::Example encode(const data::Example& row, Labels labels) const {
    data::Example example(row.origin());
    checkpoint().set_ids(example, ids_of({"question", row.text("question_title"), row.text("question_body")}), {},
                         "question_");
    checkpoint().set_ids(example, ids_of({"answer", row.text("answer")}), {}, "answer_");
    std::vector<float> targets(kCount);
    for (int64_t t = 0; labels == Labels::kRequired && t < kCount; ++t) targets[t] = rating_in(row, kTargets[t]);
    return example.set("targets", vector_of(targets));
  }

  // Puts each part between its special tokens. No part but the last takes more than half of the room that is left for
  // it and those after it.
  std::vector<int32_t> ids_of(const std::vector<std::string>& parts) const {
    const text::Tokenizer& tokenizer = checkpoint().tokenizer();
    std::vector<int32_t> ids;
    for (size_t i = 0; i < parts.size(); ++i) {
      const int64_t left =
          checkpoint().max_length() - std::ssize(ids) - 2 * std::ssize(parts) + 2 * static_cast<int64_t>(i);
      const int64_t room = std::max<int64_t>(i + 1 < parts.size() ? left / 2 : left, 0);
      std::vector<int32_t> part = tokenizer.encode(parts[i], {.add_special_tokens = false}).ids;
      part.resize(std::min(part.size(), static_cast<size_t>(room)));
      ids.push_back(*tokenizer.cls_id());
      ids.insert(ids.end(), part.begin(), part.end());
      ids.push_back(*tokenizer.sep_id());
    }
    return ids;
  }

  // Both sides pass through the encoder as one batch of twice the size; float32 [batch, hidden] each.
  std::pair<Value, Value> encoded(const Scope& root, const Columns& batch) const {
    const models::TextInputs question = checkpoint().inputs_of(batch, "question_");
    const models::TextInputs answer = checkpoint().inputs_of(batch, "answer_");
    models::TextInputs both{concatenate({question.input_ids, answer.input_ids}, 0),
                            concatenate({question.attention_mask, answer.attention_mask}, 0)};
    if (question.token_type_ids) both.token_type_ids = concatenate({question.token_type_ids, answer.token_type_ids}, 0);
    const Value x = checkpoint().model().body().hidden_states(root, both).back();
    const Value pooled = average_pool(x, both.attention_mask);
    const int64_t size = question.input_ids.shape()[0];
    return {slice(pooled, 0, {0, size}), slice(pooled, 0, {size, 2 * size})};
  }

  const double dropout_;
  const bool match_ranks_;
  const Ratings ratings_;
};

const AddedTask kQuest(task_spec<QuestOptions>({.name = "qa-regression",
                                                .classes = {kArchitecture},
                                                .run_options = {RunOption::kPadding},
                                                .make = [](const TaskContext& context, const QuestOptions& options) {
                                                  return std::make_unique<Quest>(context, options);
                                                }}));

}  // namespace
