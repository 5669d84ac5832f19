#include <algorithm>
#include <span>

#include "portatune/audio_models.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/models.h"
#include "portatune/models/architectures.h"
#include "portatune/speech_models.h"

namespace portatune::models {
namespace {

// Layers that adapters change by default.
using Targets = std::span<const char* const>;
constexpr const char* kQueryValue[] = {"query", "value"};
constexpr const char* kQueryValueProj[] = {"query_proj", "value_proj"};
constexpr const char* kQueryValueOfBoth[] = {"query", "value", "q_proj", "v_proj"};  // of encoder and decoder
constexpr const char* kQVLin[] = {"q_lin", "v_lin"};
constexpr const char* kQVProj[] = {"q_proj", "v_proj"};
constexpr const char* kQV[] = {"q", "v"};
constexpr const char* kConvAttention[] = {"c_attn"};
constexpr const char* kJoined[] = {"Wqkv"};
constexpr const char* kJointProjection[] = {"query_key_value"};
constexpr const char* kPhi[] = {"q_proj", "v_proj", "fc1", "fc2"};

template <class Model>
struct Architecture {
  std::string_view model_type;
  std::unique_ptr<Model> (*make)(const io::JsonObject& config);
  Targets lora_targets;
};
constexpr Architecture<TextModel> kTextModels[] = {
    {"albert", albert, kQueryValue},
    {"bart", bart, kQVProj},
    {"bert", bert, kQueryValue},
    {"big_bird", big_bird, kQueryValue},
    {"bigbird_pegasus", bigbird_pegasus, kQueryValueOfBoth},
    {"deberta-v2", deberta_v2, kQueryValueProj},
    {"distilbert", distilbert, kQVLin},
    {"electra", electra, kQueryValue},
    {"gemma", gemma, kQVProj},
    {"gemma2", gemma2, kQVProj},
    {"gemma3_text", gemma3, kQVProj},
    {"gpt2", gpt2, kConvAttention},
    {"gpt_neox", gpt_neox, kJointProjection},
    {"llama", llama, kQVProj},
    {"marian", marian, kQVProj},
    {"mbart", mbart, kQVProj},
    {"mistral", mistral, kQVProj},
    {"modernbert", modernbert, kJoined},
    {"mpnet", mpnet, kQV},
    {"mt5", mt5, kQV},
    {"opt", opt, kQVProj},
    {"pegasus", pegasus, kQVProj},
    {"phi", phi, kPhi},
    {"qwen2", qwen2, kQVProj},
    {"qwen3", qwen3, kQVProj},
    {"roberta", roberta, kQueryValue},
    {"smollm3", smollm3, kQVProj},
    {"t5", t5, kQV},
    {"umt5", umt5, kQV},
    {"xlm-roberta", xlm_roberta, kQueryValue},
};
constexpr Architecture<ImageModel> kImageModels[] = {
    {"deit", deit, kQueryValue},
    {"vit", vit, kQueryValue},
};

constexpr Architecture<AudioModel> kAudioModels[] = {
    {"audio-spectrogram-transformer", ast, kQueryValue},
    {"hubert", hubert, kQVProj},
    {"wav2vec2", wav2vec2, kQVProj},
};

constexpr Architecture<TextModel> kSpeechModels[] = {
    {"whisper", whisper, kQVProj},
};

// Ignores keys of any config.json that do not affect the computation: bookkeeping, generation, and keys that the
// tokenizer or the task reads elsewhere.
void ignore_bookkeeping(const io::JsonObject& config) {
  config.ignore({"_attn_implementation_autoset",
                 "_name_or_path",
                 "architectures",
                 "bos_token_id",
                 "cache_implementation",
                 "dtype",
                 "eos_token_id",
                 "finetuning_task",
                 "gradient_checkpointing",
                 "id2label",
                 "label2id",
                 "num_labels",
                 "output_attentions",
                 "output_hidden_states",
                 "output_past",
                 "problem_type",
                 "sep_token_id",
                 "torch_dtype",
                 "transformers_version",
                 "use_cache"});
}

template <class Table>
auto find(const Table& table, const std::string& model_type) {
  return std::ranges::find(table, model_type, [](const auto& architecture) { return architecture.model_type; });
}

template <class Table>
bool has(const Table& table, const std::string& model_type) {
  return find(table, model_type) != std::end(table);
}

// The architecture of a config, one of `table`.
template <class Table>
auto& require(const Table& table, const std::string& kind, const io::JsonObject& config) {
  const std::string model_type = config.get_string("model_type");
  if (const auto found = find(table, model_type); found != std::end(table)) return *found;
  std::string known;
  for (const auto& architecture : table) {
    known += (known.empty() ? "" : ", ") + std::string(architecture.model_type);
  }
  const bool other = has(kTextModels, model_type) || has(kImageModels, model_type) || has(kAudioModels, model_type) ||
                     has(kSpeechModels, model_type);
  throw CheckpointError(
      {.where = "config.json",
       .given = "model_type \"" + model_type + "\"" + (other ? ", which is no " + kind + " model" : ""),
       .expected = "a supported " + kind + " model: " + known,
       .fix = other ? "choose another task, or another checkpoint" : ""});
}

template <class Table>
auto make(const Table& table, const std::string& kind, const io::JsonObject& config) {
  ignore_bookkeeping(config);
  return require(table, kind, config).make(config);
}

}  // namespace

bool is_image_model(const io::JsonObject& config) { return has(kImageModels, config.get_string_or("model_type", "")); }
bool is_audio_model(const io::JsonObject& config) { return has(kAudioModels, config.get_string_or("model_type", "")); }
bool is_speech_model(const io::JsonObject& config) {
  return has(kSpeechModels, config.get_string_or("model_type", ""));
}

std::vector<std::string> lora_targets(const io::JsonObject& config) {
  const Targets targets = is_image_model(config)    ? require(kImageModels, "image", config).lora_targets
                          : is_audio_model(config)  ? require(kAudioModels, "audio", config).lora_targets
                          : is_speech_model(config) ? require(kSpeechModels, "speech", config).lora_targets
                                                    : require(kTextModels, "text", config).lora_targets;
  return {targets.begin(), targets.end()};
}

std::unique_ptr<TextModel> text_model(const io::JsonObject& config) { return make(kTextModels, "text", config); }
std::unique_ptr<ImageModel> image_model(const io::JsonObject& config) { return make(kImageModels, "image", config); }
std::unique_ptr<AudioModel> audio_model(const io::JsonObject& config) { return make(kAudioModels, "audio", config); }
std::unique_ptr<TextModel> speech_model(const io::JsonObject& config) { return make(kSpeechModels, "speech", config); }

}  // namespace portatune::models
