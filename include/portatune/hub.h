// Model folders of Hugging Face transformers: the first values of a model's parameters, and the changes of config.json
// that a fine-tuned model needs.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/tensor.h"

namespace portatune::hub {

/// Remembers the checkpoint whose files had their checksums when they were last read, so that a run reads it only once.
class ValidCheckpoint;
/// An object that remembers no checkpoint yet.
std::shared_ptr<ValidCheckpoint> new_valid_checkpoint();

}  // namespace portatune::hub

namespace portatune {

/// Match between the parameters of a model and a checkpoint.
struct LoadReport {
  std::vector<std::string> missing;        ///< parameters that start from their initializer
  std::vector<std::string> unexpected;     ///< tensors without a parameter
  std::vector<std::string> replaced = {};  ///< names in `missing` whose tensor in the checkpoint has another shape
  /// Names in `missing` that belong to the body of a pretrained model. Its pooler is not among them: checkpoints of
  /// language models have none.
  std::vector<std::string> body = {};
  std::filesystem::path folder = {};  ///< folder of the checkpoint; empty: there is none
};

/// Parameters that may start from their initializer because the checkpoint lacks them.
enum class NewWeights {
  kNone,  ///< no parameters, as for a model that is not trained any more
  kHead,  ///< parameters of a head or a pooler
  kAny
};

/// Values for a list of parameters, in its order.
struct InitialWeights {
  std::vector<Tensor> values;
  LoadReport report;
};

/// Values of keys of config.json, as JSON: {"hidden_dropout_prob", "0.2"}.
using ConfigValues = std::map<std::string, std::string>;

/// A model folder, and values in place of those in its config.json.
struct ModelSource {
  template <class Path>
    requires std::convertible_to<const Path&, std::filesystem::path>
  ModelSource(const Path& folder, ConfigValues config = {}) : folder(folder), config(std::move(config)) {}

  std::filesystem::path folder;
  ConfigValues config;
  std::shared_ptr<hub::ValidCheckpoint> valid_checkpoint;  ///< null: weights of a checkpoint are always verified
};

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
  ConfigValues values = {};  ///< those of other keys
};

}  // namespace portatune
