#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/models.h"
#include "portatune/models/architectures.h"

namespace portatune::models {
namespace {

template <class Model>
struct Architecture {
  std::string_view model_type;
  std::unique_ptr<Model> (*make)(const io::JsonObject& config);
};
constexpr Architecture<TextModel> kTextModels[] = {
    {"albert", albert}, {"bert", bert},       {"distilbert", distilbert},   {"electra", electra}, {"gpt2", gpt2},
    {"llama", llama},   {"mistral", mistral}, {"modernbert", modernbert},   {"opt", opt},         {"qwen2", qwen2},
    {"qwen3", qwen3},   {"roberta", roberta}, {"xlm-roberta", xlm_roberta},
};
constexpr Architecture<ImageModel> kImageModels[] = {
    {"deit", deit},
    {"vit", vit},
};

// Ignores keys of any config.json that do not affect the computation: bookkeeping, generation, and keys that the
// tokenizer or the task reads elsewhere.
void ignore_bookkeeping(const io::JsonObject& config) {
  config.ignore({"_attn_implementation_autoset", "_name_or_path", "architectures", "bos_token_id", "dtype",
                 "eos_token_id", "finetuning_task", "gradient_checkpointing", "id2label", "label2id", "num_labels",
                 "output_attentions", "output_hidden_states", "output_past", "problem_type", "sep_token_id",
                 "torch_dtype", "transformers_version", "use_cache"});
}

template <class Table>
auto find(const Table& table, const std::string& model_type) {
  return std::ranges::find(table, model_type, [](const auto& architecture) { return architecture.model_type; });
}

template <class Table>
bool has(const Table& table, const std::string& model_type) {
  return find(table, model_type) != std::end(table);
}

template <class Table>
auto make(const Table& table, const std::string& kind, const io::JsonObject& config) {
  ignore_bookkeeping(config);
  const std::string model_type = config.get_string("model_type");
  if (const auto found = find(table, model_type); found != std::end(table)) return found->make(config);
  std::string known;
  for (const auto& architecture : table) {
    known += (known.empty() ? "" : ", ") + std::string(architecture.model_type);
  }
  const bool other = has(kTextModels, model_type) || has(kImageModels, model_type);
  throw CheckpointError(
      {.where = "config.json",
       .given = "model_type \"" + model_type + "\"" + (other ? ", which is no " + kind + " model" : ""),
       .expected = "a supported " + kind + " model: " + known,
       .fix = other ? "choose another task, or another checkpoint" : ""});
}

}  // namespace

bool is_image_model(const io::JsonObject& config) { return has(kImageModels, config.get_string_or("model_type", "")); }

std::unique_ptr<TextModel> text_model(const io::JsonObject& config) { return make(kTextModels, "text", config); }
std::unique_ptr<ImageModel> image_model(const io::JsonObject& config) { return make(kImageModels, "image", config); }

}  // namespace portatune::models
