#include "portatune/models/decoders/llama_family.h"

#include "portatune/error.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_heads.h"

namespace portatune::models {

using nn::Scope;

namespace {

using Windows = std::vector<std::optional<int64_t>>;

// x factor. The maximum changes no number: it keeps XLA on the CPU from rounding the product and a later sum only once,
// which gradient checkpointing would change.
Value scaled(const Value& x, double factor) { return maximum(x * factor, full({x.dtype(), {}}, -1e30)); }

void refuse_part_of_head(const RopeParameters& rope) {
  if (rope.partial_rotary_factor == 1) return;
  throw CheckpointError({.where = "config.json, partial_rotary_factor",
                         .given = std::to_string(rope.partial_rotary_factor),
                         .expected = "1: rotary positions of a part of the head are not supported for this model"});
}

}  // namespace

LlamaFamilyConfig llama_family_config(const ConfigReader& config, const LlamaFamilyConfig& defaults) {
  config.ignore({"pretraining_tp"});  // it affects only speed
  LlamaFamilyConfig c = defaults;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("hidden_size", c.hidden_size, kSize);
  config.read("intermediate_size", c.intermediate_size, {1, 1 << 22});
  config.read("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.read("num_attention_heads", c.num_attention_heads, kSize);
  if (c.num_key_value_heads == 0) c.num_key_value_heads = c.num_attention_heads;
  config.read("num_key_value_heads", c.num_key_value_heads, kSize);
  if (c.head_dim == 0) c.head_dim = c.hidden_size / c.num_attention_heads;
  config.read("head_dim", c.head_dim, kSize);
  config.read_activation("hidden_act", c.hidden_act);
  config.read("max_position_embeddings", c.max_position_embeddings, {1, 1 << 30});
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("rms_norm_eps", c.rms_norm_eps, kEpsilon);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("hidden_dropout", c.classifier_dropout, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  c.rope = rope_parameters(config, c.rope, c.max_position_embeddings);
  refuse_part_of_head(c.rope);
  require_multiple("num_attention_heads", c.num_attention_heads, "num_key_value_heads", c.num_key_value_heads);
  return c;
}

Windows sliding_windows(const ConfigReader& config, int64_t layers, std::optional<int64_t> window,
                        const std::function<bool(int64_t layer)>& slides) {
  if (config.has("sliding_window")) window = config.get_int("sliding_window", {1, 1 << 30});
  const std::vector<std::string> types = config.get_strings("layer_types");
  Windows windows(static_cast<size_t>(layers));
  if (!types.empty() && types.size() != windows.size()) {
    throw CheckpointError({.where = "config.json, layer_types",
                           .given = std::to_string(types.size()) + " types for " + std::to_string(layers) + " layers",
                           .expected = "one type for each layer"});
  }
  for (size_t i = 0; i < windows.size(); ++i) {
    const std::string by_default = slides(static_cast<int64_t>(i)) ? "sliding_attention" : "full_attention";
    const std::string type = types.empty() ? by_default : types[i];
    if (type != "sliding_attention" && type != "full_attention") {
      throw CheckpointError({.where = "config.json, layer_types",
                             .given = "\"" + type + "\"",
                             .expected = "\"full_attention\" or \"sliding_attention\""});
    }
    if (type == "sliding_attention") windows[i] = window;
  }
  return windows;
}

Windows optional_windows(const ConfigReader& config, int64_t layers, std::optional<int64_t> window,
                         const std::function<bool(int64_t layer)>& slides) {
  Windows windows = sliding_windows(config, layers, window, slides);
  const bool uses_windows = config.get_bool_or("use_sliding_window", false);
  if (!uses_windows || config.type_of("sliding_window") == "null") windows.assign(windows.size(), {});
  return windows;
}

Windows qwen_windows(const ConfigReader& config, int64_t layers) {
  const int64_t first = config.get_int_or("max_window_layers", 28, {0, 1 << 20});
  return optional_windows(config, layers, 4096, [first](int64_t layer) { return layer >= first; });
}

nn::HeadsOfDevice project_heads(const Scope& s, const LlamaFamilyConfig& c, const Value& x,
                                const nn::LinearOptions& options) {
  return project(s, x,
                 {.heads = c.num_attention_heads,
                  .head_size = c.head_dim,
                  .kv_heads = c.num_key_value_heads,
                  .dropout = c.attention_dropout,
                  .query = "q_proj",
                  .key = "k_proj",
                  .value = "v_proj",
                  .linear = options});
}

nn::HeadsOfDevice normed_heads(const Scope& s, const LlamaFamilyConfig& c, nn::HeadsOfDevice heads) {
  const auto normed = [&](const Scope& of_norm, const Value& x) {
    return within_heads(x, c.head_dim, [&](const Value& y) { return rms_norm(of_norm, y, c.rms_norm_eps, c.norm); });
  };
  heads.q = normed(s / "q_norm", heads.q);
  heads.k = normed(s / "k_norm", heads.k);
  return heads;
}

Value gated_mlp(const Scope& s, const LlamaFamilyConfig& c, const Value& x, const nn::LinearOptions& options) {
  const Value gate = linear(s / "gate_proj", x, c.intermediate_size, columns(options));
  const Value up = linear(s / "up_proj", x, c.intermediate_size, columns(options));
  return linear(s / "down_proj", nn::activate(c.hidden_act, gate) * up, c.hidden_size, rows(options));
}

Value LlamaFamily::mlp(const Scope& s, const Value& x) const { return gated_mlp(s, c_, x, {.bias = false}); }

Value LlamaFamily::layer(const Scope& s, const Value& x, const LayerInputs& in) const {
  const auto norm = [&](const Scope& of_norm, const Value& y) {
    return rms_norm(of_norm, y, c_.rms_norm_eps, c_.norm);
  };
  const Value h = x + self_attention(s / "self_attn", norm(s / "input_layernorm", x), in);
  return h + mlp(s / "mlp", norm(s / "post_attention_layernorm", h));
}

Values LlamaFamily::run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const {
  return run_body(root / "model", in, pass);
}

Values LlamaFamily::hidden_states_for_answers(const Scope& root, const TextInputs& in) const {
  return run_body(root / c_.body_for_answers, in, decoder_pass(in));
}

Values LlamaFamily::run_body(const Scope& s, const TextInputs& in, const DecoderPass& pass) const {
  const auto tables = [&](const RopeParameters& p) {
    return rope_tables(p, c_.head_dim, c_.max_position_embeddings, in, pass);
  };
  const RopeTables rope = tables(c_.rope), sliding = c_.sliding_rope ? tables(*c_.sliding_rope) : rope;
  Value words = word_embedding(s / "embed_tokens", in.input_ids, c_.vocab_size, c_.hidden_size, c_.pad_token_id);
  if (c_.embedding_factor != 1) words = scaled(words, c_.embedding_factor);
  Values x{words};
  for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
    const std::optional<int64_t> window = c_.windows.empty() ? std::nullopt : c_.windows[static_cast<size_t>(i)];
    const LayerInputs of_layer{.layer = i, .pass = pass, .rope = window ? sliding : rope, .window = window};
    x.push_back(nn::remat(s, x.back(), layer(s / "layers" / i, x.back(), of_layer)));
  }
  x.back() = rms_norm(s / "norm", x.back(), c_.rms_norm_eps, c_.norm);
  return x;
}

TextModelFacts llama_family_facts(const std::string& class_prefix, const LlamaFamilyConfig& c) {
  return {.class_prefix = class_prefix,
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.hidden_size,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range};
}

Heads llama_family_heads(const LlamaFamilyConfig& c) {
  const LmDecoder lm{.embeddings = "model.embed_tokens.weight",
                     .tied = c.tie_word_embeddings,
                     .vocab_size = c.vocab_size,
                     .softcap = c.final_logit_softcapping};
  Heads heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
              {HeadKind::kTokenClassification, score_of_tokens(c.classifier_dropout)},
              {HeadKind::kCausalLM, next_token(lm)}};
  if (!c.body_for_answers.empty()) heads.emplace(HeadKind::kQuestionAnswering, question_answering());
  return heads;
}

std::unique_ptr<TextModel> llama_family_model(const std::string& class_prefix, const LlamaFamilyConfig& c,
                                              std::unique_ptr<const LlamaFamily> body) {
  return std::make_unique<TextModel>(llama_family_facts(class_prefix, c), std::move(body), llama_family_heads(c));
}

}  // namespace portatune::models
