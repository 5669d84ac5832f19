#include <cmath>
#include <optional>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that determine the computation, with their names there.
struct Gpt2Config {
  int64_t vocab_size = 50257;
  int64_t n_positions = 1024;
  int64_t n_embd = 768;
  int64_t n_layer = 12;
  int64_t n_head = 12;
  int64_t n_inner = 0;  // default: 4 n_embd
  std::string activation_function = "gelu_new";
  double resid_pdrop = 0.1;
  double embd_pdrop = 0.1;
  double attn_pdrop = 0.1;
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  bool scale_attn_weights = true;
  bool scale_attn_by_inverse_layer_idx = false;
  std::optional<double> classifier_dropout, hidden_dropout;
  bool tie_word_embeddings = true;
  int64_t pad_token_id = -1;
};

// Word and position embeddings, [batch, seq, n_embd].
Value embed(const Scope& s, const Gpt2Config& c, const TextInputs& in) {
  const Value words = word_embedding(s / "wte", in.input_ids, c.vocab_size, c.n_embd);
  const Value positions = embedding(s / "wpe", positions_of(in), c.n_positions, c.n_embd);
  return dropout(s, words + positions, c.embd_pdrop);
}

double attention_scale(const Gpt2Config& c, int64_t layer) {
  const double scale = c.scale_attn_weights ? 1 / std::sqrt(static_cast<double>(c.n_embd / c.n_head)) : 1;
  return c.scale_attn_by_inverse_layer_idx ? scale / static_cast<double>(layer + 1) : scale;
}

// A layer whose output is added to the residual stream. Its initial weights are smaller if there are more such layers.
Value project(const Scope& s, const Gpt2Config& c, const Value& x) {
  const double scale = 1 / std::sqrt(2 * static_cast<double>(c.n_layer));
  return dropout(s, conv1d(s / "c_proj", x, c.n_embd, nn::rows({.initializer_scale = scale})), c.resid_pdrop);
}

Value self_attention(const Scope& s, const Gpt2Config& c, int64_t layer, const Value& x, const DecoderPass& pass) {
  const Value qkv = conv1d(s / "c_attn", x, 3 * c.n_embd, nn::columns({}, 3));
  nn::HeadsOfDevice heads =
      split_projection(s, qkv, {.heads = c.n_head, .head_size = c.n_embd / c.n_head, .dropout = c.attn_pdrop});
  heads.options.scale = attention_scale(c, layer);
  return project(s, c, causal_attention(s / "attn_dropout", pass, layer, heads));
}

Value mlp(const Scope& s, const Gpt2Config& c, const Value& x) {
  const Value expanded = conv1d(s / "c_fc", x, c.n_inner, nn::columns());
  return project(s, c, nn::activate(c.activation_function, expanded));
}

Value block(const Scope& s, const Gpt2Config& c, int64_t layer, const Value& x, const DecoderPass& pass) {
  const Value attended = layer_norm(s / "ln_1", x, c.layer_norm_epsilon);
  const Value h = x + self_attention(s / "attn", c, layer, attended, pass);
  return h + mlp(s / "mlp", c, layer_norm(s / "ln_2", h, c.layer_norm_epsilon));
}

Gpt2Config gpt2_config(const ConfigReader& config) {
  if (config.get_bool_or("add_cross_attention", false)) {
    throw CheckpointError({.where = "config.json, add_cross_attention",
                           .given = "true",
                           .expected = "false: cross-attention is not supported for GPT-2"});
  }
  // reorder_and_upcast_attn enables float32 in attention, which is always used here; the others belong to another head.
  config.ignore({"reorder_and_upcast_attn", "n_ctx", "summary_type", "summary_use_proj", "summary_activation",
                 "summary_first_dropout", "summary_proj_to_labels", "task_specific_params"});
  Gpt2Config c;
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("n_positions", c.n_positions, kSize);
  config.read("n_embd", c.n_embd, kSize);
  config.read("n_layer", c.n_layer, kLayers);
  config.read("n_head", c.n_head, kSize);
  c.n_inner = 4 * c.n_embd;
  config.read("n_inner", c.n_inner, {1, 1 << 22});
  config.read_activation("activation_function", c.activation_function);
  config.read("resid_pdrop", c.resid_pdrop, kRate);
  config.read("embd_pdrop", c.embd_pdrop, kRate);
  config.read("attn_pdrop", c.attn_pdrop, kRate);
  config.read("layer_norm_epsilon", c.layer_norm_epsilon, kEpsilon);
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("scale_attn_weights", c.scale_attn_weights);
  config.read("scale_attn_by_inverse_layer_idx", c.scale_attn_by_inverse_layer_idx);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("hidden_dropout", c.hidden_dropout, kRate);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  require_multiple("n_embd", c.n_embd, "n_head", c.n_head);
  return c;
}

TextModelFacts facts_of(const Gpt2Config& c) {
  return {.class_prefix = "GPT2",
          .base_prefix = "transformer",
          .vocab_size = c.vocab_size,
          .hidden_size = c.n_embd,
          .max_length = c.n_positions,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range,
          .causal_lm_class = "GPT2LMHeadModel"};
}

class Gpt2 final : public LayeredDecoder {
 public:
  explicit Gpt2(const Gpt2Config& c) : LayeredDecoder(c.n_layer, c.n_embd), c_(c) {}

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "transformer";
    Values x{embed(s, c_, in)};
    for (int64_t i = 0; i < c_.n_layer; ++i) {
      x.push_back(nn::remat(s, x.back(), block(s / "h" / i, c_, i, x.back(), pass)));
    }
    x.back() = layer_norm(s / "ln_f", x.back(), c_.layer_norm_epsilon);
    return x;
  }

  Gpt2Config c_;
};

}  // namespace

std::unique_ptr<TextModel> gpt2(const io::JsonObject& config) {
  const Gpt2Config c = gpt2_config(config);
  const double dropout = c.classifier_dropout.value_or(c.hidden_dropout.value_or(0.1));
  const LmDecoder lm{"transformer.wte.weight", c.tie_word_embeddings, c.vocab_size};
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<Gpt2>(c),
                                     Heads{{HeadKind::kSequenceClassification, score_of_last_token(c.pad_token_id)},
                                           {HeadKind::kTokenClassification, token_classification(dropout)},
                                           {HeadKind::kQuestionAnswering, question_answering()},
                                           {HeadKind::kCausalLM, next_token(lm)}});
}

}  // namespace portatune::models
