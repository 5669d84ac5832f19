#include "portatune/tasks/feature_extraction.h"

#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/models/heads.h"
#include "portatune/nn/l2_normalize.h"
#include "portatune/ops.h"
#include "portatune/tasks/prediction_task.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/sentence_transformer.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

constexpr const char* kEmbedding = "embedding";
constexpr double kSmallestNorm = 1e-12;  // as in torch.nn.functional.normalize

// The options with what the folder says about embeddings.
FeatureExtractionOptions completed(FeatureExtractionOptions options, const ModelSource& model,
                                   const tasks::SentenceTransformer& folder) {
  options.max_length = tasks::length_of_predictions(model, options.max_length, folder.max_length);
  if (!options.pooling) options.pooling = folder.pooling.value_or(Pooling::kMean);
  if (!options.normalize) options.normalize = folder.normalize.value_or(false);
  return options;
}

// Sets x [batch, seq, hidden] to `value` where the mask [batch, seq] is 0.
Value set_padding(const Value& x, const Value& mask, double value) {
  const Value is_token = compare(Direction::kNotEqual, mask, full({DType::kInt32, {}}, 0));
  return select(expand_dims(is_token, -1), x, full({DType::kFloat32, {}}, value));
}

// x    float32 [batch, seq, hidden]
// mask int32 [batch, seq]
Value pooled(Pooling pooling, const Value& x, const Value& mask) {
  constexpr double kBelowAllStates = -1e9;  // as in sentence-transformers
  switch (pooling) {
    case Pooling::kMean: {
      const Value tokens = convert(sum(mask, {1}, ReducedAxes::kKeep), DType::kFloat32);
      return sum(set_padding(x, mask, 0), {1}) / maximum(tokens, full({DType::kFloat32, {}}, 1));
    }
    case Pooling::kMax:
      return max(set_padding(x, mask, kBelowAllStates), {1});
    case Pooling::kLast:
      return models::last_where(x, compare(Direction::kNotEqual, mask, full({DType::kInt32, {}}, 0)));
    case Pooling::kCls:
      break;
  }
  return reshape(slice(x, 1, {0, 1}), {x.shape()[0], x.shape()[2]});
}

class EmbeddingLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override {
    const Tensor& embeddings = outputs.tensor(kEmbedding);
    const auto width = static_cast<size_t>(embeddings.shape()[1]);
    const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
    std::string lines;
    for (size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] == 0) continue;
      const auto embedding = embeddings.as<float>().subspan(row * width, width);
      lines += io::line_of({{kEmbedding, tasks::numbers(embedding)}});
    }
    return lines;
  }
};

class FeatureExtraction final : public tasks::PredictionTask {
 public:
  FeatureExtraction(const ModelSource& model, FeatureExtractionOptions given, const tasks::SentenceTransformer& folder)
      : FeatureExtraction(model, completed(std::move(given), model, folder), folder.prompt) {}

  std::vector<std::string> columns(Labels) const override { return {options_.text_column}; }
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels) const override {
    const auto encode = [this](const data::Example& row) {
      const std::string text = text_of(row);
      return checkpoint().encode(row, {.first = text});
    };
    return checkpoint().batches(rows.map(encode), size);
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    const std::string text = text_of(row);
    return checkpoint().is_cut({.first = text}) ? 1 : 0;
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override { return std::make_unique<EmbeddingLines>(); }

  std::vector<std::string> inputs() const override { return checkpoint().inputs(); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const models::TextInputs in = checkpoint().inputs_of(batch);
    const models::TextModel& model = checkpoint().model();
    const Values states =
        model.seq2seq() ? model.seq2seq()->encoder_states(root, in) : model.body().hidden_states(root, in);
    const Value x = pooled(*options_.pooling, convert(states.back(), DType::kFloat32), in.attention_mask);
    return predicted(batch, {{kEmbedding, *options_.normalize ? nn::l2_normalize(x, 1, kSmallestNorm) : x}});
  }

 private:
  FeatureExtraction(const ModelSource& model, FeatureExtractionOptions options, std::string prompt)
      : PredictionTask(model, *options.max_length), options_(std::move(options)), prompt_(std::move(prompt)) {}

  std::string text_of(const data::Example& row) const { return prompt_ + row.text(options_.text_column); }

  const FeatureExtractionOptions options_;
  const std::string prompt_;
};

}  // namespace

std::unique_ptr<RowTask> feature_extraction(const ModelSource& model, FeatureExtractionOptions options) {
  return std::make_unique<FeatureExtraction>(model, std::move(options), tasks::read_sentence_transformer(model.folder));
}

void FeatureExtractionOptions::describe(OptionFields& fields) {
  describe_max_length(fields, max_length);
  describe_text_column(fields, text_column);
  const std::string of_model = "of the model";
  fields("pooling", pooling, "how the vectors of a text's tokens become one",
         {.default_help = "of the model, or mean"});
  fields("normalize", normalize, "vectors of length 1", {.default_help = of_model});
  fields("no_normalize", normalize, "vectors as they are",
         {.sets = "false", .default_help = of_model, .excludes = "normalize"});
}

const TaskSpec& feature_extraction_spec() {
  static const TaskSpec kSpec = task_spec<FeatureExtractionOptions>(
      {.name = "feature-extraction",
       .classes = {},
       .run_options = {RunOption::kPadding},
       .pipeline = "feature-extraction",
       .make = [](const TaskContext& context, const FeatureExtractionOptions& options) {
         return feature_extraction(context.model, options);
       }});
  return kSpec;
}

}  // namespace portatune
