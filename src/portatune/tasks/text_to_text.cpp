#include "portatune/tasks/text_to_text.h"

#include <algorithm>
#include <utility>

#include "portatune/data/batch/text_lengths.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/ops.h"
#include "portatune/tasks/metrics/generated_texts.h"
#include "portatune/tasks/objectives/generated_outputs.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/target_language.h"
#include "portatune/tasks/rows/packed_pairs.h"
#include "portatune/tasks/rows/source_target.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/rows/token_ids.h"
#include "portatune/tasks/text_task.h"

namespace portatune {
namespace {

constexpr std::string_view kLabels = "labels";

void require_both_languages(const TextToTextOptions& options) {
  if (options.source_lang.empty() == options.target_lang.empty()) return;
  throw UsageError({.where = options.source_lang.empty() ? "source_lang" : "target_lang",
                    .given = "no language, but one for the other side",
                    .expected = "--source-lang and --target-lang, or neither"});
}

const models::Seq2Seq& seq2seq_of(const models::TextModel& model) {
  if (const models::Seq2Seq* body = model.seq2seq()) return *body;
  throw UsageError({.where = "model",
                    .given = model.facts().class_prefix + ", which is no encoder-decoder",
                    .expected = "an encoder-decoder model such as BART or T5"});
}

void require_target_length(const char* option, int64_t length, int64_t max_target) {
  if (length <= max_target) return;
  throw UsageError({.where = option,
                    .given = std::to_string(length),
                    .expected = "at most " + std::to_string(max_target) + ", the positions of the decoder"});
}

// The options of generated texts: those of the model folder, and then those of the task.
GenerationOptions generation_of(const std::filesystem::path& model, const text::Tokenizer& tokenizer,
                                const TextToTextOptions& options) {
  GenerationOptions generation = generation_options(model);
  // An evaluation has one result for each row, which a token ends.
  generation.do_sample = false;
  generation.num_return_sequences = 1;
  generation.stop_strings.clear();
  generation.max_new_tokens.reset();
  generation.max_length = options.generation_max_length.value_or(options.max_target_length);
  if (options.num_beams) generation.num_beams = *options.num_beams;
  tasks::set_language(tasks::target_language(tokenizer.of_targets(), options.target_lang), generation);
  if (options.forced_bos_token.empty()) return generation;
  generation.forced_bos_token_id = tokenizer.of_targets().token_to_id(options.forced_bos_token);
  if (generation.forced_bos_token_id) return generation;
  throw UsageError({.where = "forced_bos_token",
                    .given = "'" + options.forced_bos_token + "'",
                    .expected = "a token of the model's vocabulary"});
}

// The targets of a batch, packed or a row each.
class Targets {
 public:
  explicit Targets(const Columns& batch) : labels_(batch.find(kLabels)->second) {
    const auto places = batch.find(tasks::kTargetPlaces);
    if (places == batch.end()) return;
    const Value& segments = batch.find(tasks::kTargetMask)->second;
    const models::TextInputs rows{.input_ids = segments,  // of which TextRows needs the shape alone
                                  .attention_mask = segments,
                                  .position_ids = batch.find(tasks::kTargetPositions)->second,
                                  .packed = true};
    rows_.emplace(rows, places->second, 0);
  }

  // The labels in their rows.
  Value labels() const { return rows_ ? rows_->to_rows(labels_, tasks::kNoLabel) : labels_; }
  models::TextInputs inputs(const models::Seq2Seq& body) const {
    models::TextInputs in = rows_ ? rows_->rows() : models::TextInputs{};
    in.input_ids = body.decoder_input_ids(labels(), in.position_ids);
    return in;
  }
  // The head's loss of x, the decoder's states in their rows.
  Forward loss(const tasks::LanguageModelHead& head, const Value& x, const Value& weights) const {
    if (rows_) return tasks::language_modelling(*rows_, head, x, labels_, weights);
    return tasks::objective_of_tokens(head, x, labels_, [&](const tasks::TokenFigures& figures) {
      return tasks::language_modelling(figures, labels_, weights);
    });
  }

 private:
  const Value labels_;
  std::optional<tasks::TextRows> rows_;
};

class TextToText final : public TextTask {
 public:
  TextToText(const ModelSource& model, TextToTextOptions options, const TextToTextScores& scores)
      : TextTask(model, options.max_length, {options.source_lang, options.target_lang}),
        options_(std::move(options)),
        pairs_{{options_.max_length, options_.max_target_length}},
        body_(seq2seq_of(checkpoint().model())),
        generation_(generation_of(model.folder, checkpoint().tokenizer(), options_)),
        metrics_(options_.metrics.empty() ? scores.reported : options_.metrics),
        best_score_(scores.of_best_model) {
    require_both_languages(options_);
    require_target_length("max_target_length", options_.max_target_length, body_.facts().max_target);
    require_target_length("generation_max_length", *generation_.max_length, body_.facts().max_target);
    generate::check(generation_, checkpoint().model().written_vocab_size());
    static_cast<void>(metrics());  // refuses unknown names before any row is read
  }

  std::vector<std::string> columns(Labels labels) const override { return tasks::columns_of(options_, labels); }
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    const data::Dataset examples =
        encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); });
    if (labels == Labels::kIgnored) return checkpoint().batches(examples, size);
    return checkpoint().batches_of_pairs(examples, size, pairs_, {std::string(kLabels), tasks::kNoLabel});
  }
  bool can_be_packed() const override {
    return checkpoint().can_be_packed() && options_.max_target_length <= options_.max_length;
  }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override;
  int64_t max_target_length() const override { return options_.max_target_length; }
  void set_lengths(std::vector<int64_t> lengths) override;
  void set_pairs(std::vector<data::LengthPair> pairs) override;
  data::PairCounts pair_counts(const data::Dataset& batches) const override;
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    const auto [source, target] = tasks::source_target_of(row, options_, Labels::kRequired);
    const bool cuts_target = std::ssize(target_ids(target, 0)) > options_.max_target_length;
    return (checkpoint().is_cut({.first = options_.source_prefix + source}) ? 1 : 0) + (cuts_target ? 1 : 0);
  }
  TokenCount tokens(const data::Example& batch) const override {
    TokenCount count = TextTask::tokens(batch);  // with packed targets, which have a mask of their own
    if (!batch.has(kLabels) || batch.has(tasks::kTargetMask)) return count;
    const auto labels = batch.tensor(kLabels).as<int32_t>();
    count.positions += std::ssize(labels);
    count.real += std::ssize(labels) - std::ranges::count(labels, tasks::kNoLabel);
    return count;
  }
  std::map<std::string, std::string> settings() const override;
  bool has_mean_predictions() const override { return false; }
  std::string score_of_best_model() const override {
    const bool is_reported = std::ranges::find(metrics_, best_score_) != metrics_.end();
    return options_.predict_with_generate && is_reported ? best_score_ : "";
  }

  std::vector<std::string> inputs() const override { return checkpoint().inputs(); }
  std::vector<std::string> optional_inputs() const override {
    return {std::string(kLabels), std::string(data::kPositionIds), std::string(tasks::kTargetMask),
            std::string(tasks::kTargetPositions), std::string(tasks::kTargetPlaces)};
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override {
    return std::make_unique<tasks::TextToTextMetrics>(written(), pad_id(), metrics_, options_.use_stemmer);
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<tasks::GeneratedTextLines>(written(), pad_id());
  }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kSeq2SeqLM)});
    tasks::save_languages(folder, {options_.source_lang, options_.target_lang},
                          tasks::target_language(written(), options_.target_lang));
  }

 private:
  // The tokenizer of targets and of generated texts.
  const text::Tokenizer& written() const { return checkpoint().tokenizer().of_targets(); }
  // The padding of generated texts.
  int32_t pad_id() const { return generation_.pad_token_id.value_or(static_cast<int32_t>(body_.facts().pad_token_id)); }

  // The columns of source tokens without their mask.
  std::map<std::string, double> token_padding() const {
    std::map<std::string, double> padding = checkpoint().padding();
    padding.erase(std::string(data::kAttentionMask));
    return padding;
  }

  std::vector<int32_t> target_ids(const std::string& target, int64_t max_length) const {
    return written().encode(target, {.max_length = max_length}).ids;
  }

  data::Example encode(const data::Example& row, Labels labels) const {
    const auto [source, target] = tasks::source_target_of(row, options_, labels);
    const std::string text = options_.source_prefix + source;
    data::Example example = checkpoint().encode(row, {.first = text});
    tasks::set_weight_of(row, example);
    if (labels == Labels::kIgnored) return example;
    if (options_.predict_with_generate) example.set(tasks::kTargetText, target);
    const std::vector<int32_t> ids =
        data::call_on(row, [&](const data::Example&) { return target_ids(target, options_.max_target_length); });
    return example.set(kLabels, vector_of(ids));
  }

  const TextToTextOptions options_;
  std::vector<data::LengthPair> pairs_;
  const models::Seq2Seq& body_;
  const GenerationOptions generation_;
  const std::vector<std::string> metrics_;
  const std::string best_score_;
};

void TextToText::set_lengths(std::vector<int64_t> lengths) {
  TextTask::set_lengths(std::move(lengths));
  pairs_.clear();
  for (const int64_t length : checkpoint().lengths()) pairs_.push_back({length, options_.max_target_length});
}

void TextToText::set_pairs(std::vector<data::LengthPair> pairs) {
  std::vector<int64_t> sources;
  for (const data::LengthPair& pair : pairs) {
    sources.push_back(pair.source);
    require_target_length("lengths of targets", pair.target, options_.max_target_length);
  }
  TextTask::set_lengths(std::move(sources));
  pairs_ = std::move(pairs);
}

data::PairCounts TextToText::pair_counts(const data::Dataset& batches) const {
  data::PairCounts counts;
  for (const data::Example& batch : batches.iterate()) {
    const data::TextLengths sources = data::text_lengths(batch.tensor(data::kAttentionMask));
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    for (size_t row = 0; row < sources.size(); ++row) {
      if (weights[row] > 0)
        ++counts[{sources[row], batch.has(kLabels) ? tasks::count_labels(batch.tensor(kLabels), row) : 0}];
    }
  }
  return counts;
}

data::Dataset TextToText::packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                         const data::ShuffleOptions& order) const {
  const bool is_refused = !can_be_packed() && checkpoint().can_be_packed();
  if (is_refused) return RowTask::packed_batches(rows, shapes, order);  // The checkpoint refuses other models.
  const tasks::PairRows sizes(options_.max_length, options_.max_target_length);
  const auto of_packed_size = [this, sizes](const data::Example& row) {
    data::Example pair = tasks::to_packed_size(encode(row, Labels::kRequired), sizes, token_padding());
    return pair.erase(tasks::kTargetText);
  };
  return checkpoint()
      .packed_batches(encoded(rows.shuffle(order).named("shuffle"), "packed", of_packed_size), shapes,
                      {{std::string(kLabels), tasks::kNoLabel}})
      .map([sizes](const data::Example& batch) { return tasks::with_packed_targets(batch, sizes); })
      .named("batch");
}

std::map<std::string, std::string> TextToText::settings() const {
  const double smoothing = options_.label_smoothing;
  std::string columns;
  for (const std::string& column : this->columns(Labels::kRequired)) columns += column + ",";
  return {{"max_length", std::to_string(options_.max_length)},
          {"max_target_length", std::to_string(options_.max_target_length)},
          {"columns", columns},
          {"languages", options_.source_lang + "," + options_.target_lang},
          {"source_prefix", options_.source_prefix},
          {"label_smoothing_factor", smoothing == 0 ? "0.000000" : to_text(smoothing)}};  // 0 as in older checkpoints
}

Forward TextToText::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextInputs in = checkpoint().inputs_of(batch);
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  const bool is_training = root.options().training;
  Forward forward{.loss_sum = full({DType::kFloat32, {}}, 0), .weight_sum = sum(weights), .outputs = {}};
  const auto labels = batch.find(kLabels);
  if (labels != batch.end()) {
    const models::EncodedSource source{body_.encoder_states(root, in).back(), in.attention_mask};
    const Targets targets(batch);
    const Value x = body_.decoder_states(root, targets.inputs(body_), source).back();
    forward = targets.loss({.model = checkpoint().model(),
                            .kind = models::HeadKind::kSeq2SeqLM,
                            .root = root,
                            .label_smoothing = is_training ? options_.label_smoothing : 0},
                           x, weights);
  }
  const bool generates = labels == batch.end() || (options_.predict_with_generate && !is_training);
  if (!generates) return forward;
  tasks::add_generated(generate::generated_tokens(checkpoint().model(), root, in, generation_), weights, forward);
  return forward;
}

}  // namespace

std::unique_ptr<RowTask> text_to_text(const ModelSource& model, TextToTextOptions options,
                                      const TextToTextScores& scores) {
  return std::make_unique<TextToText>(model, std::move(options), scores);
}

}  // namespace portatune
