// The config.json of a fine-tuned model, made from the one that it started from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portune/tensor.h"

namespace portune::hub {

/// What config.json is to say now. What is not set stays as it was.
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

/// The text of a config.json with changes. All other keys, known or not, are kept, and so is the order of the keys.
/// text      the original config.json
/// where     its name, for errors
/// errors    CheckpointError if `text` is not a JSON object; UsageError for a label that is not UTF-8 or comes twice
std::string edit_config(std::string_view text, const std::string& where, const ConfigChanges& changes);

}  // namespace portune::hub
