#include "portatune/models/decoders/llama_family.h"

#include "portatune/error.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/models/text_inputs.h"

namespace portatune::models {

using nn::Scope;

namespace {

RopeTables tables_of(const LlamaFamilyConfig& c, const TextInputs& in, const DecoderPass& pass) {
  const Value positions = positions_of(in);
  const auto tables = [&](int64_t seq) {
    return rope_tables(rope_frequencies(c.rope, c.head_dim, c.max_position_embeddings, seq), positions);
  };
  if (!pass.cache) return tables(in.input_ids.shape()[1]);
  // Texts have at most the model's maximal length, below which only longrope depends on the length.
  if (c.rope.rope_type != "longrope") return tables(1);
  // Beyond near_length other frequencies apply. The text's length is known only at run time.
  const int64_t near_length = c.rope.original_max_position_embeddings;
  const RopeTables near = tables(near_length), far = tables(near_length + 1);
  const Value last = max(reshape(positions, {-1}), {0});
  const Value is_far = compare(Direction::kGreaterEqual, last, full(last.type(), static_cast<double>(near_length)));
  return {select(is_far, far.cos, near.cos), select(is_far, far.sin, near.sin)};
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
  c.rope = rope_parameters(config, c.rope.rope_theta, c.max_position_embeddings);
  require_multiple("num_attention_heads", c.num_attention_heads, "num_key_value_heads", c.num_key_value_heads);
  return c;
}

std::vector<std::optional<int64_t>> sliding_windows(const ConfigReader& config, int64_t layers, int64_t window,
                                                    int64_t max_window_layers) {
  const bool slides = config.get_bool_or("use_sliding_window", false);
  config.read("sliding_window", window, {1, 1 << 30});
  config.read("max_window_layers", max_window_layers, {0, 1 << 20});
  const std::vector<std::string> types = config.get_strings("layer_types");
  std::vector<std::optional<int64_t>> windows(static_cast<size_t>(layers));
  if (!types.empty() && types.size() != windows.size()) {
    throw CheckpointError({.where = "config.json, layer_types",
                           .given = std::to_string(types.size()) + " types for " + std::to_string(layers) + " layers",
                           .expected = "one type for each layer"});
  }
  for (size_t i = 0; i < windows.size(); ++i) {
    const bool late = static_cast<int64_t>(i) >= max_window_layers;
    const std::string type = !types.empty() ? types[i] : late ? "sliding_attention" : "full_attention";
    if (type != "sliding_attention" && type != "full_attention") {
      throw CheckpointError({.where = "config.json, layer_types",
                             .given = "\"" + type + "\"",
                             .expected = "\"full_attention\" or \"sliding_attention\""});
    }
    if (slides && type == "sliding_attention") windows[i] = window;
  }
  return windows;
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

Value rotary_attention(const Scope& s, const nn::HeadsOfDevice& heads, const LayerInputs& in,
                       std::optional<int64_t> window) {
  return causal_attention(s, in.pass, in.layer, rotated(heads, in.rope), window);
}

Value gated_mlp(const Scope& s, const LlamaFamilyConfig& c, const Value& x, const nn::LinearOptions& options) {
  const Value gate = linear(s / "gate_proj", x, c.intermediate_size, columns(options));
  const Value up = linear(s / "up_proj", x, c.intermediate_size, columns(options));
  return linear(s / "down_proj", nn::activate(c.hidden_act, gate) * up, c.hidden_size, rows(options));
}

Value LlamaFamily::mlp(const Scope& s, const Value& x) const { return gated_mlp(s, c_, x, {.bias = false}); }

Value LlamaFamily::layer(const Scope& s, const Value& x, const LayerInputs& in) const {
  const Value h = x + self_attention(s / "self_attn", rms_norm(s / "input_layernorm", x, c_.rms_norm_eps), in);
  return h + mlp(s / "mlp", rms_norm(s / "post_attention_layernorm", h, c_.rms_norm_eps));
}

Values LlamaFamily::run(const Scope& s, const TextInputs& in, const DecoderPass& pass) const {
  const RopeTables rope = tables_of(c_, in, pass);
  Values x{word_embedding(s / "embed_tokens", in.input_ids, c_.vocab_size, c_.hidden_size, c_.pad_token_id)};
  for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
    x.push_back(nn::remat(s, x.back(), layer(s / "layers" / i, x.back(), {i, pass, rope})));
  }
  x.back() = rms_norm(s / "norm", x.back(), c_.rms_norm_eps);
  return x;
}

Values LlamaFamily::hidden_states(const Scope& root, const TextInputs& in) const {
  return run(root / "model", in, decoder_pass(in));
}

Value LlamaFamily::next_hidden_state(const Scope& root, const TextInputs& in, KeyValueCache& cache,
                                     const Value& start) const {
  return run(root / "model", in, decoder_pass(in, &cache, start)).back();
}

KeyValueCache LlamaFamily::empty_cache(int64_t batch, int64_t length, DType dtype) const {
  return zero_cache(c_.num_hidden_layers, {dtype, {batch, length, c_.num_key_value_heads * c_.head_dim}});
}

std::unique_ptr<TextModel> llama_family_model(const std::string& class_prefix, const LlamaFamilyConfig& c,
                                              std::unique_ptr<const LlamaFamily> body) {
  const auto token_score = [rate = c.classifier_dropout](const Scope& root, const HeadInputs& in) {
    const Scope s = root / "score";
    return logits(s, dropout(s, in.x, rate), in.num_labels);
  };
  const LmDecoder lm{"model.embed_tokens.weight", c.tie_word_embeddings, c.vocab_size};
  return std::make_unique<TextModel>(TextModelFacts{.class_prefix = class_prefix,
                                                    .base_prefix = "model",
                                                    .vocab_size = c.vocab_size,
                                                    .hidden_size = c.hidden_size,
                                                    .max_length = c.max_position_embeddings,
                                                    .type_vocab_size = 0,
                                                    .initializer_range = c.initializer_range},
                                     std::move(body),
                                     Heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
                                           {HeadKind::kTokenClassification, token_score},
                                           {HeadKind::kCausalLM, next_token(lm)}});
}

}  // namespace portatune::models
