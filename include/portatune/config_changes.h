// Differences between the config.json of a fine-tuned model and that of its base model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// New values for config.json. Fields without a value stay unchanged.
struct ConfigChanges {
  /// The model's class in transformers, such as "BertForSequenceClassification".
  std::optional<std::string> architecture;
  /// Class names in the order of their ids; written as id2label and label2id, from which transformers derives
  /// num_labels.
  std::optional<std::vector<std::string>> labels;
  /// "single_label_classification", "multi_label_classification" or "regression".
  std::optional<std::string> problem_type;
  std::optional<int64_t> vocab_size;
  /// Element type of the weights, a float type. Replaces `dtype` or, from older versions, `torch_dtype`, if the config
  /// has one; transformers would otherwise convert the weights when it loads them.
  std::optional<DType> dtype;
};

}  // namespace portatune
