#include <algorithm>
#include <cmath>
#include <mutex>

#include "portune/base/message.h"
#include "portune/error.h"
#include "portune/hub/config_edit.h"
#include "portune/hub/model_folder.h"
#include "portune/io/file.h"
#include "portune/io/safetensors.h"
#include "portune/models.h"
#include "portune/ops.h"
#include "portune/tasks.h"
#include "portune/tasks/classification_loss.h"
#include "portune/tasks/classification_metrics.h"
#include "portune/tasks/initial_weights.h"
#include "portune/text.h"

namespace portune {
namespace {

constexpr std::string_view kSigmoidProblem = "multi_label_classification";
constexpr std::string_view kSoftmaxProblem = "single_label_classification";

// id2label of a config, in the order of the ids; empty if there is none.
std::vector<std::string> labels_in(const io::JsonObject& config) {
  const std::map<std::string, std::string> id2label = config.get_string_map("id2label");
  std::vector<std::string> labels;
  for (size_t id = 0; id < id2label.size(); ++id) {
    const auto found = id2label.find(std::to_string(id));
    if (found == id2label.end()) {
      throw CheckpointError({.where = "config.json, id2label",
                             .given = std::to_string(id2label.size()) + " labels, none with id " + std::to_string(id),
                             .expected = "ids 0, 1, 2, ... without gaps"});
    }
    labels.push_back(found->second);
  }
  return labels;
}

Head head_in(const io::JsonObject& config) {
  const std::string problem = config.get_string_or("problem_type", kSoftmaxProblem);
  if (problem == kSoftmaxProblem) return Head::kSoftmax;
  const size_t labels = config.get_string_map("id2label").size();
  if (problem == kSigmoidProblem && labels == 1) return Head::kSigmoid;
  throw CheckpointError({.where = "config.json, problem_type",
                         .given = "\"" + problem + "\" with " + std::to_string(labels) + " labels",
                         .expected = "one label for each text: \"single_label_classification\", or "
                                     "\"multi_label_classification\" with a single label, which is a sigmoid head",
                         .fix = "to train a new head instead, choose softmax or sigmoid"});
}

// The labels that are asked for, in the order of the checkpoint if it has the same ones: its classifier keeps its
// meaning then.
std::vector<std::string> in_stored_order(const std::vector<std::string>& wanted, std::vector<std::string> stored) {
  const bool same = wanted.size() == stored.size() && std::ranges::is_permutation(wanted, stored);
  return same || wanted.empty() ? stored : wanted;
}

void check_labels(Head head, const std::vector<std::string>& labels) {
  if (head == Head::kSigmoid && labels != std::vector<std::string>{"0", "1"}) {
    throw UsageError({.where = "labels of a sigmoid head",
                      .given = list_of(labels),
                      .expected = "0 and 1",
                      .fix = "choose a softmax head, or write the labels as 0 and 1"});
  }
  if (labels.size() < 2) {
    throw UsageError({.where = "labels",
                      .given = labels.empty()
                                   ? "none: config.json has no id2label, so this is an encoder without a head"
                                   : "only one: \"" + labels.front() + "\"",
                      .expected = "at least two classes",
                      .fix = labels.empty() ? "fine-tune the model first" : ""});
  }
  for (const std::string& label : labels) {
    if (std::ranges::count(labels, label) == 1) continue;
    throw UsageError({.where = "labels", .given = "\"" + label + "\" twice", .expected = "every class once"});
  }
}

}  // namespace

struct TextClassification::Impl {
  Impl(const std::filesystem::path& model, TextClassificationOptions given)
      : options(std::move(given)),
        folder(hub::ModelFolder::open(model)),
        tokenizer(text::Tokenizer::load(model)),
        head(options.head.value_or(head_in(folder.config()))),
        labels(in_stored_order(options.labels, stored_labels())),
        model(models::text_model(folder.config())) {
    check_labels(head, labels);
    check_lengths();
    pad_id = tokenizer.pad_id().value_or(0);
  }

  // A sigmoid head stores the name of its one logit; the labels that it tells apart are 0 and 1.
  std::vector<std::string> stored_labels() const {
    return head == Head::kSigmoid ? std::vector<std::string>{"0", "1"} : labels_in(folder.config());
  }

  int64_t logits() const { return head == Head::kSigmoid ? 1 : static_cast<int64_t>(labels.size()); }

  void check_lengths() const {
    if (options.max_length < 3 || options.max_length > model->facts().max_length) {
      throw UsageError(
          {.where = "max_length",
           .given = std::to_string(options.max_length),
           .expected = "3 to " + std::to_string(model->facts().max_length) + ", the positions of the model"});
    }
    if (tokenizer.vocab_size() > model->facts().vocab_size) {
      throw CheckpointError({.where = folder.path().string(),
                             .given = "a tokenizer of " + std::to_string(tokenizer.vocab_size()) +
                                      " tokens and an embedding of " + std::to_string(model->facts().vocab_size),
                             .expected = "an embedding for every token"});
    }
  }

  int32_t label_id(const data::Example& row) const {
    const std::string& label = row.text(options.label_column);
    const auto found = std::ranges::find(labels, label);
    if (found != labels.end()) return static_cast<int32_t>(found - labels.begin());
    // Where the classes have only the names that transformers makes up, data have their numbers.
    const auto numbered = std::ranges::find(labels, "LABEL_" + label);
    if (numbered != labels.end()) return static_cast<int32_t>(numbered - labels.begin());
    throw DataError({.where = to_string(row.origin()),
                     .given = "label \"" + label + "\" in column \"" + options.label_column + "\"",
                     .expected = "one of the labels of the model: " + list_of(labels)});
  }

  struct Tokens {
    std::vector<int32_t> ids, type_ids;
  };
  Tokens encode_texts(const data::Example& row) const {
    text::TextPair texts{.first = row.text(options.text_column)};
    if (!options.text_pair_column.empty()) texts.second = row.text(options.text_pair_column);
    Tokens tokens;
    try {
      const std::lock_guard lock(encoder_mutex);
      encoder.append(texts, {.max_length = options.max_length}, tokens.ids, &tokens.type_ids);
    } catch (Error& error) {
      error.set_context(to_string(row.origin()));
      throw;
    }
    return tokens;
  }

  TextClassificationOptions options;
  hub::ModelFolder folder;
  text::Tokenizer tokenizer;
  // Remembers words from one text to the next, which is most of its speed; one for all threads, as it is far faster
  // than whatever consumes its tokens.
  mutable std::mutex encoder_mutex;
  mutable text::IdEncoder encoder{tokenizer};
  Head head;
  std::vector<std::string> labels;
  std::unique_ptr<const models::TextModel> model;
  int32_t pad_id = 0;
};

TextClassification::TextClassification(const std::filesystem::path& model, TextClassificationOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options))) {}
TextClassification::~TextClassification() = default;

const std::vector<std::string>& TextClassification::labels() const { return impl_->labels; }
Head TextClassification::head() const { return impl_->head; }

data::Example TextClassification::encode(const data::Example& row, Labels labels) const {
  const Impl::Tokens tokens = impl_->encode_texts(row);
  const Shape length{static_cast<int64_t>(tokens.ids.size())};
  const std::vector<int32_t> ones(tokens.ids.size(), 1);
  const int32_t label = labels == Labels::kRequired ? impl_->label_id(row) : 0;

  data::Example example(row.origin());
  example.set("input_ids", Tensor(length, std::span<const int32_t>(tokens.ids)));
  example.set("token_type_ids", Tensor(length, std::span<const int32_t>(tokens.type_ids)));
  example.set("attention_mask", Tensor(length, std::span<const int32_t>(ones)));
  example.set("labels", Tensor({}, {label}));
  return example;
}

data::Dataset TextClassification::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  if (size < 1) throw UsageError({.where = "batch_size", .given = std::to_string(size), .expected = "at least 1"});
  return rows.map([this, labels](const data::Example& row) { return encode(row, labels); })
      .padded_batch(size, {.lengths = {impl_->options.max_length},
                           .pad_values = {{"input_ids", static_cast<double>(impl_->pad_id)}}});
}

std::vector<TextClassification::Prediction> TextClassification::predictions(const data::Example& batch,
                                                                            const data::Example& outputs) const {
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t width = static_cast<size_t>(impl_->logits());
  std::vector<Prediction> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    Prediction prediction;
    prediction.logits.assign(logits.begin() + row * width, logits.begin() + (row + 1) * width);
    prediction.probabilities = tasks::probabilities(impl_->head, prediction.logits);
    prediction.label = impl_->labels[static_cast<size_t>(tasks::predicted_class(impl_->head, prediction.logits))];
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

std::vector<std::string> TextClassification::inputs() const {
  return {"input_ids", "attention_mask", "token_type_ids", "labels", std::string(data::kExampleWeight)};
}

Forward TextClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextInputs in{batch.at("input_ids"), batch.at("attention_mask"), batch.at("token_type_ids")};
  const Value x = impl_->model->hidden_states(root, in).back();
  const Value logits = impl_->model->sequence_logits(root, in, x, impl_->logits());
  const Value &labels = batch.at("labels"), &weights = batch.at(std::string(data::kExampleWeight));
  const Value losses = impl_->head == Head::kSigmoid ? tasks::sigmoid_cross_entropy(reshape(logits, {-1}), labels)
                                                     : tasks::softmax_cross_entropy(logits, labels);
  return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {{"logits", logits}}};
}

std::unique_ptr<Metrics> TextClassification::metrics() const {
  return std::make_unique<tasks::ClassificationMetrics>(impl_->head, static_cast<int64_t>(impl_->labels.size()));
}

TokenCount TextClassification::tokens(const data::Example& batch) const {
  TokenCount count;
  for (const int32_t real : batch.tensor("attention_mask").as<int32_t>()) {
    count.real += real;
    ++count.positions;
  }
  return count;
}

double TextClassification::initializer_range() const { return impl_->model->facts().initializer_range; }

InitialWeights TextClassification::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  return tasks::load_weights(impl_->folder, parameters, impl_->model->facts().base_prefix, seed);
}

std::vector<std::string> TextClassification::unknown_config_keys() const {
  return impl_->folder.config().unread_keys();
}

void TextClassification::save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const {
  const bool sigmoid = impl_->head == Head::kSigmoid;
  hub::ConfigChanges changes;
  changes.architecture = impl_->model->class_name(models::HeadKind::kSequenceClassification);
  changes.labels = sigmoid ? std::vector<std::string>{impl_->labels[1]} : impl_->labels;
  changes.problem_type = sigmoid ? kSigmoidProblem : kSoftmaxProblem;
  changes.dtype = DType::kFloat32;
  const std::string config =
      hub::edit_config(impl_->folder.config_text(), (impl_->folder.path() / "config.json").string(), changes);
  io::write_file(folder / "config.json", config);
  for (const std::string& name : impl_->folder.companion_files()) {
    io::copy_file(impl_->folder.path() / name, folder / name);
  }
  io::write_safetensors(folder / "model.safetensors", weights);
}

}  // namespace portune
