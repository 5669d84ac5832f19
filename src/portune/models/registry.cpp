#include <algorithm>

#include "portune/error.h"
#include "portune/io/json.h"
#include "portune/models.h"
#include "portune/models/architectures.h"

namespace portune::models {
namespace {

struct Architecture {
  std::string_view model_type;
  std::unique_ptr<TextModel> (*make)(const io::JsonObject& config);
};
constexpr Architecture kArchitectures[] = {{"bert", bert}, {"gpt2", gpt2},   {"llama", llama}, {"mistral", mistral},
                                           {"opt", opt},   {"qwen2", qwen2}, {"qwen3", qwen3}};

// Keys of any config.json that say nothing about the computation here: bookkeeping, generation, and what the tokenizer
// and the task read elsewhere.
void ignore_bookkeeping(const io::JsonObject& config) {
  config.ignore({"_attn_implementation_autoset", "_name_or_path", "architectures", "bos_token_id", "dtype",
                 "eos_token_id", "finetuning_task", "gradient_checkpointing", "id2label", "label2id", "num_labels",
                 "output_attentions", "output_hidden_states", "output_past", "problem_type", "sep_token_id",
                 "torch_dtype", "transformers_version", "use_cache"});
}

}  // namespace

std::unique_ptr<TextModel> text_model(const io::JsonObject& config) {
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
  return found->make(config);
}

}  // namespace portune::models
