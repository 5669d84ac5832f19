#include "portatune/tasks/token_classification.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/tasks/metrics/all_metrics.h"
#include "portatune/tasks/metrics/error_analyzers.h"
#include "portatune/tasks/metrics/tag_metrics.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/class_weights.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

constexpr const char* kTokenClassification = "token-classification";
constexpr int32_t kNoWord = -1;
const std::map<std::string, double> kTagPadding = {{"labels", tasks::kNoLabel}, {"word_ids", kNoWord}};

// The id of a tag, given by its name or its number from 0.
std::optional<int32_t> find_tag(const std::string& tag, const std::vector<std::string>& labels) {
  if (const auto id = tasks::id_of(tag, labels)) return id;
  const auto number = tasks::class_number(tag);
  return number && *number < std::ssize(labels) ? std::optional(static_cast<int32_t>(*number)) : std::nullopt;
}

// The checkpoint's labels if it knows all wanted ones.
std::vector<std::string> chosen_labels(const std::vector<std::string>& wanted, const std::vector<std::string>& stored) {
  const auto is_stored = [&](const std::string& label) { return find_tag(label, stored).has_value(); };
  return std::ranges::all_of(wanted, is_stored) ? stored : wanted;
}

// The tags of a row by name; a tag that is none of the classes stays as it is.
RowLabels row_tags(const std::vector<std::string>& classes, const std::string& column) {
  const auto names = [classes, column](const data::Example& row) {
    std::vector<std::string> tags = tasks::texts_in(row, column);
    for (std::string& tag : tags) {
      if (const auto id = find_tag(tag, classes)) tag = classes[static_cast<size_t>(*id)];
    }
    return tags;
  };
  return {.classes = classes, .in_row = names, .noun = "tag", .nouns = "tags"};
}

class TagLines final : public PredictionLines {
 public:
  explicit TagLines(const TokenClassification& task) : task_(task) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    std::string lines;
    for (const TokenClassification::Tags& tags : task_.predictions(batch, outputs)) lines += line_of(tags);
    return lines;
  }

 private:
  static std::string line_of(const TokenClassification::Tags& tags) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& tag : tags) list.push_back(tag ? nlohmann::json(*tag) : nlohmann::json());
    return io::line_of({{"tags", list}});
  }

  const TokenClassification& task_;
};

}  // namespace

struct TokenClassification::Impl {
  Impl(const TextCheckpoint& from, TokenClassificationOptions given)
      : options(std::move(given)),
        checkpoint(from),
        labels(chosen_labels(options.labels, tasks::labels_in(checkpoint.config()))) {
    tasks::require_utf8(labels);
    if (labels.empty()) {
      throw UsageError({.where = "token classification",
                        .given = "a model without id2label in config.json, and no labels",
                        .expected = "the names of the tags"});
    }
    tasks::check(options.loss, Head::kSoftmax, labels.size());
  }

  // The ids of a row's tags; zeros if tags are ignored.
  std::vector<int32_t> tag_ids(const data::Example& row, size_t words, Labels wanted) const {
    if (wanted == Labels::kIgnored) return std::vector<int32_t>(words, 0);
    const std::vector<std::string> tags = tasks::texts_in(row, options.tags_column);
    if (tags.size() != words) {
      throw DataError({.where = to_string(row.origin()),
                       .given = counted(std::ssize(tags), "tag") + " in column \"" + options.tags_column + "\" for " +
                                counted(static_cast<int64_t>(words), "token") + " in column \"" +
                                options.tokens_column + "\"",
                       .expected = "a tag for each token"});
    }
    std::vector<int32_t> ids;
    for (const std::string& tag : tags) ids.push_back(tag_id(row, tag));
    return ids;
  }

  int32_t tag_id(const data::Example& row, const std::string& tag) const {
    if (const auto id = find_tag(tag, labels)) return *id;
    throw DataError({.where = to_string(row.origin()),
                     .given = "tag \"" + tag + "\" in column \"" + options.tags_column + "\"",
                     .expected = "one of the tags of the model: " + list_of(labels) + ", or their numbers from 0"});
  }

  text::Encoding encode_words(const data::Example& row, const std::vector<std::string>& words,
                              int64_t max_length) const {
    return data::call_on(row, [&](const data::Example&) {
      return checkpoint.tokenizer().encode_words(words, {.max_length = max_length, .with_offsets = true});
    });
  }

  TokenClassificationOptions options;
  const TextCheckpoint& checkpoint;
  std::vector<std::string> labels;
};

TokenClassification::TokenClassification(const ModelSource& model, TokenClassificationOptions options)
    : TextTask(model, options.max_length), impl_(std::make_unique<Impl>(checkpoint(), std::move(options))) {}
TokenClassification::~TokenClassification() = default;

const std::vector<std::string>& TokenClassification::labels() const { return impl_->labels; }

std::vector<std::string> TokenClassification::columns(Labels labels) const {
  if (labels == Labels::kIgnored) return {impl_->options.tokens_column};
  return {impl_->options.tokens_column, impl_->options.tags_column};
}

std::vector<std::string> TokenClassification::list_columns() const {
  return {impl_->options.tokens_column, impl_->options.tags_column};
}

RowLabels TokenClassification::row_labels() const { return row_tags(impl_->labels, impl_->options.tags_column); }

data::Dataset TokenClassification::read(const std::vector<std::string>& files, Labels labels,
                                        data::TableOptions table) const {
  const TokenClassificationOptions& options = impl_->options;
  return read_tagged(files, options.tokens_column, labels == Labels::kRequired ? options.tags_column : "",
                     std::move(table));
}

data::Example TokenClassification::encode(const data::Example& row, Labels labels) const {
  const std::vector<std::string> words = tasks::texts_in(row, impl_->options.tokens_column);
  const std::vector<int32_t> tags = impl_->tag_ids(row, words.size(), labels);
  const text::Encoding encoding = impl_->encode_words(row, words, impl_->options.max_length);
  std::vector<int32_t> label_of(encoding.ids.size(), tasks::kNoLabel), word_of(encoding.ids.size(), kNoWord);
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    const int32_t word = encoding.word_ids[i];
    if (word < 0 || (i > 0 && word == encoding.word_ids[i - 1])) continue;
    label_of[i] = tags[static_cast<size_t>(word)];
    word_of[i] = word;
  }
  data::Example example(row.origin());
  checkpoint().set_ids(example, encoding.ids, encoding.type_ids);
  example.set("labels", vector_of(label_of)).set("word_ids", vector_of(word_of));
  tasks::set_weight_of(row, example);
  return example.set("word_count", Tensor({}, {static_cast<int32_t>(words.size())}));
}

data::Dataset TokenClassification::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  return checkpoint().batches(
      encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size,
      kTagPadding);
}

data::Dataset TokenClassification::packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                                  const data::ShuffleOptions& order) const {
  return checkpoint().packed_batches(encoded(rows.shuffle(order).named("shuffle"), name_of(Labels::kRequired),
                                             [this](const data::Example& row) { return encode(row); }),
                                     shapes, kTagPadding);
}

std::optional<int64_t> TokenClassification::cut_texts(const data::Example& row) const {
  const int64_t max_length = impl_->options.max_length;
  const std::vector<std::string> words = tasks::texts_in(row, impl_->options.tokens_column);
  return std::ssize(impl_->encode_words(row, words, max_length + 1).ids) > max_length ? 1 : 0;
}

std::vector<TokenClassification::Tags> TokenClassification::predictions(const data::Example& batch,
                                                                        const data::Example& outputs) const {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const std::span<const int32_t> words = batch.tensor("word_ids").as<int32_t>();
  const std::span<const int32_t> word_counts = batch.tensor("word_count").as<int32_t>();
  const std::span<const int32_t> ids = outputs.tensor(tasks::kTagIds).as<int32_t>();
  const size_t length = words.size() / weights.size();
  std::vector<Tags> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    Tags& tags = predictions.emplace_back(static_cast<size_t>(word_counts[row]));
    for (size_t i = row * length; i < (row + 1) * length; ++i) {
      if (words[i] == kNoWord) continue;
      tags[static_cast<size_t>(words[i])] = impl_->labels[static_cast<size_t>(ids[i])];
    }
  }
  return predictions;
}

std::unique_ptr<PredictionLines> TokenClassification::prediction_lines() const {
  return std::make_unique<TagLines>(*this);
}

std::map<std::string, std::string> TokenClassification::settings() const {
  const TokenClassificationOptions& options = impl_->options;
  std::map<std::string, std::string> settings = tasks::settings_of(options.loss);
  settings["max_length"] = std::to_string(options.max_length);
  settings["tokens_column"] = options.tokens_column;
  settings["tags_column"] = options.tags_column;
  return settings;
}

std::vector<std::string> TokenClassification::inputs() const { return checkpoint().inputs({"labels"}); }

Forward TokenClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextModel& model = checkpoint().model();
  const tasks::TextRows texts(checkpoint(), batch);
  const Value x = model.state_for(models::HeadKind::kTokenClassification, root, texts.rows());
  const Value logits = texts.to_texts(
      model.logits(models::HeadKind::kTokenClassification, root, {.x = x, .num_labels = std::ssize(impl_->labels)}));
  Forward forward = tasks::token_classification(logits, batch.at("labels"), batch.at(std::string(data::kExampleWeight)),
                                                tasks::loss_options(impl_->options.loss, root));
  auto outputs = tasks::ids_of_logits(tasks::kTagIds, logits);
  if (tasks::has_added_metrics(*this)) std::ranges::move(forward.outputs, std::back_inserter(outputs));
  forward.outputs = std::move(outputs);
  return forward;
}

std::unique_ptr<Metrics> TokenClassification::metrics() const {
  return std::make_unique<tasks::TagMetrics>(impl_->labels);
}

std::unique_ptr<ErrorAnalyzer> TokenClassification::error_analyzer(int64_t) const {
  return tasks::entity_errors(impl_->labels);
}

void TokenClassification::save(const std::filesystem::path& folder) const {
  const std::string architecture = checkpoint().model().class_name(models::HeadKind::kTokenClassification);
  checkpoint().save(folder, {.architecture = architecture, .labels = impl_->labels});
}

void TokenClassificationRunOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  fields("tokens_column", tokens_column, "column of a JSON list of words; not for .conll, .txt", {.kept = true});
  fields("tags_column", tags_column, "column of a list of their tags: names or ids",
         {.use = OptionUse::kLabels, .kept = true});
  describe_loss(fields, loss, weights);
}

namespace {

// Finds the tags in the rows, unless they are given, and the weights of the loss.
void learn_tags(const TaskContext& context, const ClassWeights& weights, TokenClassificationOptions& options) {
  const auto has_tags = [column = options.tags_column](const data::Example& row) {
    tasks::texts_in(row, column);
    return true;
  };
  const data::Dataset rows =
      read_tagged(context.files, options.tokens_column, options.tags_column, context.table).filter(has_tags);
  if (options.labels.empty()) options.labels = tags_of(context.readable(rows), options.tags_column);
  const std::vector<std::string> stored = tasks::labels_in(hub::read_config(context.model));
  const RowLabels labels = row_tags(chosen_labels(options.labels, stored), options.tags_column);
  options.loss = tasks::with_class_weights(options.loss, weights, Head::kSoftmax, labels, context, rows);
}

std::unique_ptr<RowTask> make_token_classification(const TaskContext& context,
                                                   const TokenClassificationRunOptions& given) {
  TokenClassificationOptions options = given;
  if (context.classes == Classes::kOfRows) {
    learn_tags(context, given.weights, options);
  } else {
    options.labels = tasks::classes_without_rows(context, kTokenClassification, std::move(options.labels));
  }
  return std::make_unique<TokenClassification>(context.model, std::move(options));
}

std::vector<data::Example> rows_of_token_classification(const RowTask& task,
                                                        const TokenClassificationRunOptions& options) {
  data::Example row = tasks::sample_row(task);
  row.set(options.tokens_column, nlohmann::json::array({"a"}).dump());
  row.set(options.tags_column, nlohmann::json::array({task.row_labels().classes.front()}).dump());
  return {row};
}

}  // namespace

const TaskSpec& token_classification_spec() {
  static const TaskSpec kSpec = task_spec<TokenClassificationRunOptions>(
      {.name = kTokenClassification,
       .classes = {"ForTokenClassification"},
       .run_options = {RunOption::kPadding, RunOption::kPacking, RunOption::kWeightColumn},
       .pipeline = "token-classification",
       .make = make_token_classification,
       .sample_rows = rows_of_token_classification});
  return kSpec;
}

}  // namespace portatune
