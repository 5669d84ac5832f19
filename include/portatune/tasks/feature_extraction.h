// Embeddings: a vector for each text, from the hidden states of a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "portatune/option_fields.h"
#include "portatune/tasks.h"

namespace portatune {

struct TaskSpec;

/// How the hidden states of a text's tokens become one vector.
enum class Pooling {
  kMean,  ///< their mean
  kCls,   ///< the state of the first token
  kMax,   ///< the largest number of each dimension
  kLast   ///< the state of the last token
};
constexpr auto names_of(Pooling) {
  return std::to_array<NamedValue<Pooling>>(
      {{Pooling::kMean, "mean"}, {Pooling::kCls, "cls"}, {Pooling::kMax, "max"}, {Pooling::kLast, "last"}});
}

/// Options without a value come from the files of a sentence-transformers model: modules.json,
/// sentence_bert_config.json and the config of its pooling.
struct FeatureExtractionOptions {
  std::string text_column = "text";
  /// Tokens of a text, special ones included; longer texts are cut. Without those files: the positions of the model, at
  /// most 512.
  std::optional<int64_t> max_length;
  std::optional<Pooling> pooling;  ///< Without those files: kMean.
  std::optional<bool> normalize;   ///< Whether vectors get length 1. Without those files: no.

  void describe(OptionFields& fields);
};

/// A task that predicts the embeddings of texts, as sentence-transformers computes them: {"embedding": [...]}. It uses
/// the body of any text model, of an encoder-decoder model the encoder. It learns nothing.
/// errors  those of TextTask; CheckpointError for files of a sentence-transformers model with other modules
std::unique_ptr<RowTask> feature_extraction(const ModelSource& model, FeatureExtractionOptions options);
/// The task "feature-extraction", with FeatureExtractionOptions.
const TaskSpec& feature_extraction_spec();

}  // namespace portatune
