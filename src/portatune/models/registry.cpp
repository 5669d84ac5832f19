#include <algorithm>
#include <span>

#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/media_models.h"
#include "portatune/models.h"
#include "portatune/models/architectures.h"
#include "portatune/models/layer_stacks.h"

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
  LayerStacks (*stacks)(const io::JsonObject& config);  // null: the model cannot grow
};
constexpr Architecture<TextModel> kTextModels[] = {
    {"albert", albert, kQueryValue, nullptr},
    {"bart", bart, kQVProj, bart_stacks},
    {"bert", bert, kQueryValue, bert_stacks},
    {"big_bird", big_bird, kQueryValue, bert_stacks},
    {"bigbird_pegasus", bigbird_pegasus, kQueryValueOfBoth, bigbird_pegasus_stacks},
    {"deberta-v2", deberta_v2, kQueryValueProj, bert_stacks},
    {"distilbert", distilbert, kQVLin, distilbert_stacks},
    {"electra", electra, kQueryValue, bert_stacks},
    {"gemma", gemma, kQVProj, llama_stacks},
    {"gemma2", gemma2, kQVProj, gemma2_stacks},
    {"gemma3_text", gemma3, kQVProj, gemma2_stacks},
    {"gpt2", gpt2, kConvAttention, gpt2_stacks},
    {"gpt_neox", gpt_neox, kJointProjection, gpt_neox_stacks},
    {"llama", llama, kQVProj, llama_stacks},
    {"marian", marian, kQVProj, bart_stacks},
    {"mbart", mbart, kQVProj, mbart_stacks},
    {"mistral", mistral, kQVProj, llama_stacks},
    {"modernbert", modernbert, kJoined, modernbert_stacks},
    {"mpnet", mpnet, kQV, bert_stacks},
    {"mt5", mt5, kQV, t5_stacks},
    {"opt", opt, kQVProj, opt_stacks},
    {"pegasus", pegasus, kQVProj, mbart_stacks},
    {"phi", phi, kPhi, phi_stacks},
    {"qwen2", qwen2, kQVProj, llama_stacks},
    {"qwen3", qwen3, kQVProj, llama_stacks},
    {"roberta", roberta, kQueryValue, bert_stacks},
    {"smollm3", smollm3, kQVProj, llama_stacks},
    {"t5", t5, kQV, t5_stacks},
    {"umt5", umt5, kQV, umt5_stacks},
    {"whisper", whisper_decoder, kQVProj, mbart_stacks},
    {"xlm-roberta", xlm_roberta, kQueryValue, bert_stacks},
};
constexpr Architecture<ImageModel> kImageModels[] = {
    {"deit", deit, kQueryValue, vit_stacks},
    {"vit", vit, kQueryValue, vit_stacks},
};

constexpr Architecture<AudioModel> kAudioModels[] = {
    {"audio-spectrogram-transformer", ast, kQueryValue, vit_stacks},
    {"hubert", hubert, kQVProj, wav2vec2_stacks},
    {"wav2vec2", wav2vec2, kQVProj, wav2vec2_stacks},
    {"whisper", whisper_classifier, kQVProj, nullptr},
};

constexpr Architecture<TextModel> kSpeechModels[] = {
    {"whisper", whisper, kQVProj, mbart_stacks},
};

constexpr Architecture<ColorModel> kColorModels[] = {
    {"coltran", coltran, kQV, nullptr},
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

bool is_known(const std::string& model_type) {
  return has(kTextModels, model_type) || has(kImageModels, model_type) || has(kAudioModels, model_type) ||
         has(kSpeechModels, model_type) || has(kColorModels, model_type);
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
  const bool other = is_known(model_type);
  throw CheckpointError(
      {.where = "config.json",
       .given = "model_type \"" + model_type + "\"" + (other ? ", which is no " + kind + " model" : ""),
       .expected = "a supported " + kind + " model: " + known,
       .fix = other ? "choose another task, or another checkpoint" : ""});
}

// What `get` returns for the architecture of a config, of any kind.
template <class Get>
auto of_architecture(const io::JsonObject& config, Get get) {
  if (is_image_model(config)) return get(require(kImageModels, "image", config));
  if (is_audio_model(config)) return get(require(kAudioModels, "audio", config));
  if (is_speech_model(config)) return get(require(kSpeechModels, "speech", config));
  if (is_color_model(config)) return get(require(kColorModels, "color", config));
  return get(require(kTextModels, "text", config));
}

// Why a model without stacks cannot grow.
std::string reason_against_stacks(const io::JsonObject& config) {
  return is_color_model(config) ? ", whose layers have several MLPs" : ", whose layers share their weights";
}

// The architectures whose layers have weights of their own.
std::string growable_models() {
  std::string names;
  const auto add = [&](const auto& table) {
    for (const auto& architecture : table) {
      if (architecture.stacks) names += (names.empty() ? "" : ", ") + std::string(architecture.model_type);
    }
  };
  add(kTextModels), add(kImageModels), add(kAudioModels);  // the model of speech has the name of its decoder
  return names;
}

template <class Table>
auto make(const Table& table, const std::string& kind, const io::JsonObject& config) {
  ignore_bookkeeping(config);
  return require(table, kind, config).make(config);
}

}  // namespace

bool is_image_model(const io::JsonObject& config) { return has(kImageModels, config.get_string_or("model_type", "")); }
bool is_audio_model(const io::JsonObject& config) {
  const std::string model_type = config.get_string_or("model_type", "");
  return has(kAudioModels, model_type) && !has(kSpeechModels, model_type);
}
bool is_speech_model(const io::JsonObject& config) {
  return has(kSpeechModels, config.get_string_or("model_type", "")) && config.get_bool_or("is_encoder_decoder", true);
}
bool is_color_model(const io::JsonObject& config) { return has(kColorModels, config.get_string_or("model_type", "")); }

std::vector<std::string> lora_targets(const io::JsonObject& config) {
  const Targets targets = of_architecture(config, [](const auto& architecture) { return architecture.lora_targets; });
  return {targets.begin(), targets.end()};
}

LayerStacks layer_stacks(const io::JsonObject& config) {
  const std::string model_type = config.get_string("model_type");
  const auto stacks = is_known(model_type)
                          ? of_architecture(config, [](const auto& architecture) { return architecture.stacks; })
                          : nullptr;
  if (stacks != nullptr) return stacks(config);
  throw CheckpointError(
      {.where = "config.json",
       .given = "model_type \"" + model_type + "\"" + (is_known(model_type) ? reason_against_stacks(config) : ""),
       .expected = "a model with numbered layers: " + growable_models()});
}

std::unique_ptr<TextModel> text_model(const io::JsonObject& config) { return make(kTextModels, "text", config); }
std::unique_ptr<ImageModel> image_model(const io::JsonObject& config) { return make(kImageModels, "image", config); }
std::unique_ptr<AudioModel> audio_model(const io::JsonObject& config) { return make(kAudioModels, "audio", config); }
std::unique_ptr<TextModel> speech_model(const io::JsonObject& config) { return make(kSpeechModels, "speech", config); }
std::unique_ptr<ColorModel> color_model(const io::JsonObject& config) { return make(kColorModels, "color", config); }

}  // namespace portatune::models
