#include <filesystem>

#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/ops.h"
#include "portatune/tasks/language_models.h"
#include "portatune/tasks/metrics/language_model.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/masking.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/rows/sentence_pairs.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_task.h"

namespace portatune {
namespace {

// Words of each text are numbered from 0; numbers in a second text must differ from those in the first.
int32_t word_of(const text::Encoding& encoding, size_t token) {
  constexpr int32_t kSecondText = 1 << 24;
  return encoding.word_ids[token] + (encoding.sequence_ids[token] == 1 ? kSecondText : 0);
}

const std::map<std::string, double> kWordPadding = {{"words", -1}};

class MaskedLm final : public TextTask {
 public:
  MaskedLm(const ModelSource& model, MaskedLmOptions options)
      : TextTask(model, options.max_length),
        options_(std::move(options)),
        mask_id_(tasks::mask_id_of(checkpoint().tokenizer(), model.folder)) {
    if (!(options_.mlm_probability > 0 && options_.mlm_probability < 1)) {
      throw UsageError({.where = "mlm_probability",
                        .given = to_text(options_.mlm_probability),
                        .expected = "more than 0 and less than 1"});
    }
    if (options_.next_sentence && options_.label_smoothing != 0) {
      throw UsageError({.where = "label_smoothing_factor",
                        .given = to_text(options_.label_smoothing) + " with --next-sentence",
                        .expected = "0: the loss is then a sum of two means, which transformers does not smooth"});
    }
  }

  std::vector<std::string> columns(Labels) const override { return {options_.text_column}; }
  std::vector<std::string> text_columns() const override { return {}; }      // Blank rows separate documents.
  bool loss_is_of_rows() const override { return !options_.next_sentence; }  // It is then a sum of two means.

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const override {
    return batches_of(examples(rows), size);
  }
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override {
    return checkpoint().packed_batches(encoded_examples(examples(rows).shuffle(order).named("shuffle")), shapes,
                                       kWordPadding);
  }
  // Shuffles pairs, not sentences.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override {
    return batches_of(examples(rows).shuffle(order).named("shuffle"), size);
  }
  // Rows, or pairs of them. Not encoded, so that counting and shuffling cost nothing.
  data::Dataset examples(const data::Dataset& rows) const override {
    return options_.next_sentence ? tasks::sentence_pairs(rows, options_.text_column) : rows;
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    if (options_.next_sentence) return std::nullopt;  // A text is then a pair of rows.
    return checkpoint().is_cut(texts_of(row)) ? 1 : 0;
  }
  bool predicts_rows() const override { return !options_.next_sentence; }
  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<tasks::LanguageModelLines>();
  }
  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = tasks::settings_of({.label_smoothing = options_.label_smoothing});
    settings["max_length"] = std::to_string(options_.max_length);
    settings["text_column"] = options_.text_column;
    settings["mlm_probability"] = to_text(options_.mlm_probability);
    settings["whole_words"] = options_.whole_words ? "yes" : "no";
    settings["next_sentence"] = options_.next_sentence ? "yes" : "no";
    return settings;
  }

  std::vector<std::string> inputs() const override {
    if (options_.next_sentence) return checkpoint().inputs({"words", "seeds", "next_sentence_label"});
    return checkpoint().inputs({"words", "seeds"});
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const nn::Scope s = root / "masking";
    // Evaluation masks the same tokens every time.
    const Value key = s.options().random_key ? s.random_key() : constant(Tensor({2}, {1u, 2u}));
    const tasks::TextRows texts(checkpoint(), batch);
    const tasks::Masked masked = tasks::mask_tokens(texts.texts().input_ids, batch.at("words"), batch.at("seeds"), key,
                                                    {.probability = options_.mlm_probability,
                                                     .mask_id = mask_id_,
                                                     .vocab_size = checkpoint().tokenizer().vocab_size()});
    models::TextInputs in = texts.rows();
    in.input_ids = texts.to_rows(masked.input_ids, static_cast<int32_t>(checkpoint().padding().at("input_ids")));
    const models::TextModel& model = checkpoint().model();
    const Value x = model.body().hidden_states(root, in).back();
    const Value& weights = batch.at(std::string(data::kExampleWeight));
    const tasks::LanguageModelHead head{.model = model,
                                        .kind = models::HeadKind::kMaskedLM,
                                        .root = root,
                                        .label_smoothing = root.options().training ? options_.label_smoothing : 0};
    const Forward masked_lm = tasks::language_modelling(texts, head, x, masked.labels, weights);
    if (!options_.next_sentence) return masked_lm;
    const Value relation = model.logits(models::HeadKind::kPreTraining, root, {.x = texts.to_texts(x)});
    return tasks::with_next_sentence(masked_lm, relation, batch.at("next_sentence_label"), weights);
  }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<tasks::LanguageModelMetrics>(); }
  void save(const std::filesystem::path& folder) const override {
    const auto head = options_.next_sentence ? models::HeadKind::kPreTraining : models::HeadKind::kMaskedLM;
    checkpoint().save(folder, {.architecture = checkpoint().model().class_name(head)});
  }

 private:
  data::Dataset batches_of(const data::Dataset& examples, int64_t size) const {
    return checkpoint().batches(encoded_examples(examples), size, kWordPadding);
  }

  data::Dataset encoded_examples(const data::Dataset& examples) const {
    const auto of_example = [this](const data::Example& example) { return encode(example); };
    // Each epoch has other pairs.
    return options_.next_sentence ? examples.map(of_example) : encoded(examples, "words", of_example);
  }

  text::TextPair texts_of(const data::Example& row) const {
    if (options_.next_sentence) return {.first = row.text("first"), .second = row.text("second")};
    return {.first = row.text(options_.text_column)};
  }

  data::Example encode(const data::Example& row) const {
    const text::Encoding encoding = checkpoint().tokenizer().encode(
        texts_of(row), {.max_length = options_.max_length, .with_offsets = options_.whole_words});
    data::Example example(row.origin());
    checkpoint().set_ids(example, encoding.ids, encoding.type_ids);
    std::vector<int32_t> words;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      const bool special = encoding.special_tokens_mask[i] != 0;
      words.push_back(special ? -1 : options_.whole_words ? word_of(encoding, i) : static_cast<int32_t>(i));
    }
    example.set("words", vector_of(words));
    example.set("seeds", Tensor({}, {seed_of(row.origin())}));
    if (options_.next_sentence) example.set("next_sentence_label", row.tensor("next_sentence_label"));
    return example;
  }

  // The seed of a row, which depends on the file name without its folder.
  static int32_t seed_of(const data::Origin& origin) {
    const std::string file = origin.file ? std::filesystem::path(*origin.file).filename().string() : "";
    return static_cast<int32_t>(split_mix_64(io::hash_of(file), static_cast<uint64_t>(origin.row)));
  }

  const MaskedLmOptions options_;
  const int32_t mask_id_;
};

}  // namespace

std::unique_ptr<RowTask> masked_lm(const ModelSource& model, MaskedLmOptions options) {
  return std::make_unique<MaskedLm>(model, std::move(options));
}

void MaskedLmOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  describe_label_smoothing(fields, label_smoothing);
  fields.group("Masked language models");
  fields("mlm_probability", mlm_probability, "share of tokens to predict", {.highest = 1, .kept = true});
  fields("whole_words", whole_words, "hide the pieces of a word together", {.kept = true});
  fields("next_sentence", next_sentence, "rows are sentences; learn which follows which, too", {.kept = true});
}

namespace {

std::unique_ptr<RowTask> make_masked_lm(const TaskContext& context, const MaskedLmOptions& options) {
  if (options.next_sentence && context.bad_rows) {
    throw UsageError({.where = "bad_rows",
                      .given = "--next-sentence as well",
                      .expected = "--bad-rows fail: without a row, its neighbours would follow each other"});
  }
  return masked_lm(context.model, options);
}

// Pairs are made of at least two documents, between which there is a blank row.
std::vector<data::Example> rows_of_masked_lm(const RowTask& task, const MaskedLmOptions& options) {
  const data::Example row = tasks::sample_row(task);
  if (!options.next_sentence) return {row};
  data::Example blank = row;
  blank.set(options.text_column, "");
  return {row, row, blank, row, row};
}

}  // namespace

const TaskSpec& masked_lm_spec() {
  static const TaskSpec kSpec =
      task_spec<MaskedLmOptions>({.name = "masked-lm",
                                  .classes = {"ForMaskedLM", "BertForPreTraining", "AlbertForPreTraining"},
                                  .run_options = {RunOption::kPadding, RunOption::kPacking},
                                  .pipeline = "fill-mask",
                                  .make = make_masked_lm,
                                  .sample_rows = rows_of_masked_lm});
  return kSpec;
}

}  // namespace portatune
