// Zero-shot classification: labels that the model was not trained for, by inference between two texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/option_fields.h"
#include "portatune/tasks.h"

namespace portatune {

struct TaskSpec;

struct ZeroShotClassificationOptions {
  std::string text_column = "text";
  std::vector<std::string> candidate_labels;                ///< at least one
  std::string hypothesis_template = "This example is {}.";  ///< text about a label, which replaces "{}"
  bool multi_label = false;                                 ///< whether any number of labels may be true
  /// Tokens of text and hypothesis, special ones included; longer texts are cut. None: the positions of the model, at
  /// most 512.
  std::optional<int64_t> max_length;

  void describe(OptionFields& fields);
};

/// A task that predicts with a text classifier for natural language inference, as the pipeline of transformers does:
/// the score of a label says how much the text entails its hypothesis. The class of entailment is the first whose name
/// begins with "entail", else the last one. A line of predictions is {"label": the best one, "score": its probability,
/// "scores": {label: probability}}. The scores add up to 1, or are independent with multi_label and for one label. The
/// task learns nothing.
/// notice  called with a remark if no class is named "entail..."
/// errors  those of TextClassification; UsageError for no label, and for a template without "{}"
std::unique_ptr<RowTask> zero_shot_classification(
    const ModelSource& model, ZeroShotClassificationOptions options,
    const std::function<void(const std::string& remark)>& notice = [](const std::string&) {});
/// The task "zero-shot-classification", with ZeroShotClassificationOptions.
const TaskSpec& zero_shot_classification_spec();

}  // namespace portatune
