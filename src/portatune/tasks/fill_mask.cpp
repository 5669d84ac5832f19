#include "portatune/tasks/fill_mask.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/ops.h"
#include "portatune/tasks/objectives/masking.h"
#include "portatune/tasks/prediction_task.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kPosition = "mask_position", *kMasks = "masks";  // position of a mask; masks of the text
constexpr const char *kScores = "scores", *kTokens = "tokens";

// Collects the masks of each text, which are consecutive examples.
class MaskLines final : public PredictionLines {
 public:
  MaskLines(const text::Tokenizer& tokenizer, int32_t pad_id) : tokenizer_(tokenizer), pad_id_(pad_id) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
    const std::span<const int32_t> counts = batch.tensor(kMasks).as<int32_t>();
    std::string lines;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] == 0) continue;
      masks_.push_back(candidates(batch, outputs, row));
      if (std::ssize(masks_) < counts[row]) continue;
      lines += io::line_of({{kMasks, std::exchange(masks_, Json::array())}});
    }
    return lines;
  }

 private:
  Json candidates(const data::Example& batch, const data::Example& outputs, size_t row) const {
    const auto k = static_cast<size_t>(outputs.tensor(kScores).shape()[1]);
    const auto scores = outputs.tensor(kScores).as<float>().subspan(row * k, k);
    const auto tokens = outputs.tensor(kTokens).as<int32_t>().subspan(row * k, k);
    const bool is_only_mask = batch.tensor(kMasks).as<int32_t>()[row] == 1;
    std::vector<int32_t> ids = text_of(batch, row);
    int32_t& masked = ids[static_cast<size_t>(batch.tensor(kPosition).as<int32_t>()[row])];
    Json list = Json::array();
    for (size_t i = 0; i < k; ++i) {
      masked = tokens[i];
      list.push_back({{"score", tasks::shortest(scores[i])},
                      {"token", tokens[i]},
                      {"token_str", tokenizer_.decode({&tokens[i], 1})},
                      {"sequence", sequence(ids, is_only_mask)}});
    }
    return list;
  }

  // Special tokens are left out, unless other masks are among them.
  std::string sequence(std::vector<int32_t> ids, bool is_only_mask) const {
    std::erase(ids, pad_id_);
    return tokenizer_.decode(ids, {.skip_special_tokens = is_only_mask});
  }

  static std::vector<int32_t> text_of(const data::Example& batch, size_t row) {
    const Tensor& all = batch.tensor("input_ids");
    const auto length = static_cast<size_t>(all.shape()[1]);
    const auto ids = all.as<int32_t>().subspan(row * length, length);
    return {ids.begin(), ids.end()};
  }

  const text::Tokenizer& tokenizer_;
  const int32_t pad_id_;
  Json masks_ = Json::array();  // those of a text whose further masks are in the next batch
};

class FillMask final : public tasks::SeveralExamplesTask {
 public:
  FillMask(const ModelSource& model, FillMaskOptions options)
      : SeveralExamplesTask(model, options.max_length, options.text_column),
        options_(std::move(options)),
        mask_id_(tasks::mask_id_of(checkpoint().tokenizer(), model.folder)) {
    const int64_t tokens = checkpoint().model().facts().vocab_size;
    if (options_.top_k <= tokens) return;
    throw UsageError({.where = "top_k",
                      .given = std::to_string(options_.top_k),
                      .expected = "at most " + std::to_string(tokens) + ", the tokens of the model"});
  }

  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<MaskLines>(checkpoint().tokenizer(),
                                       static_cast<int32_t>(checkpoint().padding().at("input_ids")));
  }

  std::vector<std::string> inputs() const override { return checkpoint().inputs({kPosition}); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::TextModel& model = checkpoint().model();
    const Value x = model.body().hidden_states(root, checkpoint().inputs_of(batch)).back();
    const Shape& shape = x.shape();
    const Value row_begins =
        iota({DType::kInt32, {shape[0]}}, 0) * full({DType::kInt32, {}}, static_cast<double>(shape[1]));
    const Value masked = gather_rows(reshape(x, {shape[0] * shape[1], shape[2]}), row_begins + batch.at(kPosition));
    const Value logits = model.logits(models::HeadKind::kMaskedLM, root, {.x = masked});
    const TopK best = top_k(softmax(logits, -1), options_.top_k);
    return predicted(batch, {{kScores, best.values}, {kTokens, best.indices}});
  }

 private:
  // An example for each mask.
  std::vector<data::Example> encode(const data::Example& row) const override {
    const data::Example encoded = checkpoint().encode(row, {.first = text_of(row)});
    const std::span<const int32_t> ids = encoded.tensor("input_ids").as<int32_t>();
    std::vector<data::Example> examples;
    for (int32_t i = 0; i < std::ssize(ids); ++i) {
      if (ids[static_cast<size_t>(i)] != mask_id_) continue;
      data::Example& example = examples.emplace_back(encoded);
      example.set(kPosition, Tensor({}, {i}));
    }
    if (examples.empty()) throw without_mask(row);
    const auto masks = static_cast<int32_t>(examples.size());
    for (data::Example& example : examples) example.set(kMasks, Tensor({}, {masks}));
    return examples;
  }

  DataError without_mask(const data::Example& row) const {
    const std::string mask(checkpoint().tokenizer().id_to_token(mask_id_));
    const bool is_cut = checkpoint().is_cut({.first = text_of(row)});
    const std::string tokens = std::to_string(max_length()) + " tokens";
    return DataError({.where = to_string(row.origin()),
                      .given = "a text without " + mask + (is_cut ? " in its first " + tokens : ""),
                      .expected = mask + " in place of each word to predict: \"... " + mask + " ...\"",
                      .fix = is_cut ? "shorten the text, or raise --max-length" : ""});
  }

  const FillMaskOptions options_;
  const int32_t mask_id_;
};

}  // namespace

std::unique_ptr<RowTask> fill_mask(const ModelSource& model, FillMaskOptions options) {
  return std::make_unique<FillMask>(model, std::move(options));
}

void FillMaskOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  fields("top_k", top_k, "tokens for each mask", {.lowest = 1, .highest = 1e4});
}

const TaskSpec& fill_mask_spec() {
  static const TaskSpec kSpec =
      task_spec<FillMaskOptions>({.name = "fill-mask",
                                  .classes = {},
                                  .run_options = {RunOption::kPadding},
                                  .pipeline = "fill-mask",
                                  .make = [](const TaskContext& context, const FillMaskOptions& options) {
                                    return fill_mask(context.model, options);
                                  }});
  return kSpec;
}

}  // namespace portatune
