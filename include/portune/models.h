// Architectures: config.json in, a graph out.
#pragma once

#include <functional>
#include <string>

#include "portune/nn.h"

namespace portune::io {
class JsonObject;
}

namespace portune::models {

/// What a text model reads, int32 [batch, seq] each.
struct TextInputs {
  Value input_ids;
  Value attention_mask;  ///< 1 for tokens, 0 for padding
  Value token_type_ids;  ///< 0 for the first text, 1 for the second
};

/// An encoder with a classification head.
struct SequenceClassifier {
  std::string architecture;  ///< the class in transformers: "BertForSequenceClassification"
  std::string base_prefix;   ///< what the encoder's keys begin with in a checkpoint of that class: "bert"
  int64_t vocab_size;        ///< ids must be below
  int64_t max_length;        ///< longest sequence that has positions
  double initializer_range;
  /// Builds the forward pass; returns float32 [batch, num_labels].
  std::function<Value(const nn::Scope& root, const TextInputs& inputs)> logits;
};

/// The classifier for a checkpoint's config.json. CheckpointError for an unknown architecture or an unusable value.
SequenceClassifier sequence_classifier(const io::JsonObject& config, int64_t num_labels);

}  // namespace portune::models
