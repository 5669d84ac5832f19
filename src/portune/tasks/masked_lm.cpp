#include "portune/base/message.h"
#include "portune/base/random.h"
#include "portune/error.h"
#include "portune/language_models.h"
#include "portune/ops.h"
#include "portune/tasks/language_model.h"
#include "portune/tasks/masking.h"
#include "portune/tasks/objectives.h"
#include "portune/text_task.h"

namespace portune {
namespace {

class MaskedLm final : public TextTask {
 public:
  MaskedLm(const std::filesystem::path& model, MaskedLmOptions options)
      : TextTask(model, options.max_length), options_(std::move(options)) {
    if (!checkpoint().tokenizer().mask_id()) {
      throw CheckpointError({.where = model.string(),
                             .given = "a tokenizer without a mask token",
                             .expected = "a \"mask_token\" in tokenizer_config.json, as models of masked language "
                                         "modelling have it"});
    }
    if (!(options_.mlm_probability > 0 && options_.mlm_probability < 1)) {
      throw UsageError({.where = "mlm_probability",
                        .given = to_text(options_.mlm_probability),
                        .expected = "more than 0 and less than 1"});
    }
  }

  std::vector<std::string> columns(Labels) const override { return {options_.text_column}; }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const override {
    return checkpoint().batches(rows.map([this](const data::Example& row) { return encode(row); }), size,
                                {{"words", -1}});
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<tasks::LanguageModelLines>();
  }
  std::map<std::string, std::string> settings() const override {
    return {{"max_length", std::to_string(options_.max_length)},
            {"text_column", options_.text_column},
            {"mlm_probability", to_text(options_.mlm_probability)},
            {"whole_words", options_.whole_words ? "yes" : "no"}};
  }

  std::vector<std::string> inputs() const override { return checkpoint().inputs({"words", "seeds"}); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const nn::Scope s = root / "masking";
    // Evaluation hides the same tokens every time.
    const Value key = s.options().random_key ? s.random_key() : constant(Tensor({2}, {1u, 2u}));
    const tasks::Masked masked = tasks::mask_tokens(batch.at("input_ids"), batch.at("words"), batch.at("seeds"), key,
                                                    {.probability = options_.mlm_probability,
                                                     .mask_id = *checkpoint().tokenizer().mask_id(),
                                                     .vocab_size = checkpoint().tokenizer().vocab_size()});
    models::TextInputs in = checkpoint().inputs_of(batch);
    in.input_ids = masked.input_ids;
    const Value x = checkpoint().model().hidden_states(root, in).back();
    return tasks::language_modelling(checkpoint().model().masked_lm_logits(root, x), masked.labels,
                                     batch.at(std::string(data::kExampleWeight)));
  }
  std::unique_ptr<Metrics> metrics() const override { return std::make_unique<tasks::LanguageModelMetrics>(); }
  void save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const override {
    checkpoint().save(folder, {.architecture = checkpoint().model().class_name(models::HeadKind::kMaskedLM)}, weights);
  }

 private:
  data::Example encode(const data::Example& row) const {
    const text::Encoding encoding = checkpoint().tokenizer().encode(
        row.text(options_.text_column), {.max_length = options_.max_length, .with_offsets = options_.whole_words});
    data::Example example(row.origin());
    checkpoint().set_ids(example, encoding.ids, encoding.type_ids);
    std::vector<int32_t> words;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      const bool special = encoding.special_tokens_mask[i] != 0;
      words.push_back(special ? -1 : options_.whole_words ? encoding.word_ids[i] : static_cast<int32_t>(i));
    }
    example.set("words", Tensor({static_cast<int64_t>(words.size())}, std::span<const int32_t>(words)));
    const uint64_t seed = split_mix_64(static_cast<uint64_t>(row.origin().row), 0);
    example.set("seeds", Tensor({}, {static_cast<int32_t>(seed)}));
    return example;
  }

  const MaskedLmOptions options_;
};

}  // namespace

std::unique_ptr<RowTask> masked_lm(const std::filesystem::path& model, MaskedLmOptions options) {
  return std::make_unique<MaskedLm>(model, std::move(options));
}

}  // namespace portune
