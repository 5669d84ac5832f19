// What the config.json of a fine-tuned model says otherwise than the one that it started from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// What is not set stays as it was.
struct ConfigChanges {
  /// The model's class in transformers, such as "BertForSequenceClassification".
  std::optional<std::string> architecture;
  /// Class names in the order of their ids; written as id2label and label2id, from which transformers counts
  /// num_labels.
  std::optional<std::vector<std::string>> labels;
  /// "single_label_classification", "multi_label_classification" or "regression".
  std::optional<std::string> problem_type;
  /// Element type of the weights, a float type. Replaces `dtype` or, from older versions, `torch_dtype`, where the
  /// config has one; transformers would otherwise convert the weights when it loads them.
  std::optional<DType> dtype;
};

}  // namespace portatune
