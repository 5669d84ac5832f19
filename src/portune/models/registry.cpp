#include <algorithm>

#include "portune/error.h"
#include "portune/io/json.h"
#include "portune/models.h"
#include "portune/models/bert.h"

namespace portune::models {
namespace {

SequenceClassifier bert_classifier(const io::JsonObject& config, int64_t num_labels) {
  const BertConfig c = bert_config(config);
  return {.architecture = "BertForSequenceClassification",
          .base_prefix = "bert",
          .vocab_size = c.vocab_size,
          .max_length = c.max_position_embeddings,
          .initializer_range = c.initializer_range,
          .logits = [c, num_labels](const nn::Scope& root, const TextInputs& in) {
            return bert_for_sequence_classification(root, c, in, num_labels);
          }};
}

struct Architecture {
  std::string_view model_type;
  SequenceClassifier (*sequence_classifier)(const io::JsonObject& config, int64_t num_labels);
};
constexpr Architecture kArchitectures[] = {{"bert", bert_classifier}};

// Keys of any config.json that say nothing about the computation here: bookkeeping, generation, and what the tokenizer
// and the task read elsewhere.
void ignore_bookkeeping(const io::JsonObject& config) {
  config.ignore({"_attn_implementation_autoset", "_name_or_path", "architectures", "bos_token_id", "dtype",
                 "eos_token_id", "gradient_checkpointing", "id2label", "label2id", "num_labels", "output_attentions",
                 "output_hidden_states", "pad_token_id", "problem_type", "sep_token_id", "tie_word_embeddings",
                 "torch_dtype", "transformers_version", "use_cache"});
}

// Keys of every configuration of transformers that a classifier's logits do not depend on.
void ignore_common_keys(const io::JsonObject& config) {
  config.ignore({"_name_or_path", "architectures", "bos_token_id", "dtype", "eos_token_id", "finetuning_task",
                 "gradient_checkpointing", "label2id", "output_past", "pad_token_id", "tie_word_embeddings",
                 "torch_dtype", "transformers_version", "use_cache"});
}

}  // namespace

SequenceClassifier sequence_classifier(const io::JsonObject& config, int64_t num_labels) {
  ignore_common_keys(config);
  ignore_bookkeeping(config);
  const std::string model_type = config.get_string("model_type");
  const auto* found = std::ranges::find(kArchitectures, model_type, &Architecture::model_type);
  if (found == std::end(kArchitectures)) {
    std::string known;
    for (const Architecture& architecture : kArchitectures) {
      known += (known.empty() ? "" : ", ") + std::string(architecture.model_type);
    }
    throw CheckpointError({.where = "config.json",
                           .given = "model_type \"" + model_type + "\"",
                           .expected = "one of the architectures that Portune has: " + known});
  }
  return found->sequence_classifier(config, num_labels);
}

}  // namespace portune::models
