#include <cmath>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/rope.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that determine the computation, with their names there.
struct ModernBertConfig {
  int64_t vocab_size = 50368;
  int64_t hidden_size = 768;
  int64_t intermediate_size = 1152;
  int64_t num_hidden_layers = 22;
  int64_t num_attention_heads = 12;
  std::string hidden_activation = "gelu";
  int64_t max_position_embeddings = 8192;
  double initializer_range = 0.02;
  double initializer_cutoff_factor = 2;
  double norm_eps = 1e-5;
  nn::LayerNormOptions norm{.bias = false};
  nn::LinearOptions attention{.bias = false}, mlp{.bias = false}, classifier{.bias = false};
  double attention_dropout = 0;
  double embedding_dropout = 0;
  double mlp_dropout = 0;
  double classifier_dropout = 0;
  std::string classifier_activation = "gelu";
  std::string classifier_pooling = "cls";
  bool decoder_bias = true;
  bool tie_word_embeddings = true;
  int64_t pad_token_id = 50283;
  int64_t local_attention = 128;  // tokens that a local layer sees, half of them on each side
  std::vector<bool> is_local;     // for each layer
  double full_theta = 160000, sliding_theta = 10000;
};

// The scale of initial weights of layers that add to the residual stream: smaller if there are more such layers.
double residual_scale(const ModernBertConfig& c) { return 1 / std::sqrt(2 * static_cast<double>(c.num_hidden_layers)); }

nn::LinearOptions residual(const ModernBertConfig& c, nn::LinearOptions options) {
  options.initializer_scale = residual_scale(c);
  return options;
}

// A normal distribution without its tails.
nn::Initializer truncated(const ModernBertConfig& c, double scale) {
  return {nn::Initializer::Kind::kNormal, scale * c.initializer_range, c.initializer_cutoff_factor};
}

// Inputs of a layer's attention besides x: one for global layers, one for local layers.
struct Surroundings {
  Value mask;  // see attention()
  RopeTables rope;
  Band band;
};

Surroundings surroundings(const ModernBertConfig& c, const TextInputs& in, double rope_theta, const Band& band) {
  const int64_t seq = in.input_ids.shape()[1], head_size = c.hidden_size / c.num_attention_heads;
  const RopeFrequencies frequencies =
      rope_frequencies({.rope_theta = rope_theta}, head_size, c.max_position_embeddings, seq);
  return {mask_of(in), rope_tables(frequencies, positions_of(in)), band};
}

Value self_attention(const Scope& s, const ModernBertConfig& c, const Value& x, const Surroundings& around) {
  const Value qkv = linear(s / "Wqkv", x, 3 * c.hidden_size, columns(c.attention, 3));
  const nn::HeadsOfDevice heads = split_projection(s, qkv,
                                                   {.heads = c.num_attention_heads,
                                                    .head_size = c.hidden_size / c.num_attention_heads,
                                                    .dropout = c.attention_dropout,
                                                    .band = around.band});
  const Value attended = attention(s, rotated(heads, around.rope), around.mask);
  return dropout(s / "Wo", linear(s / "Wo", attended, c.hidden_size, rows(residual(c, c.attention))),
                 c.attention_dropout);
}

// Wo(act(a) * b), where a and b are the halves of Wi(x): "GeGLU".
Value mlp(const Scope& s, const ModernBertConfig& c, const Value& x) {
  const int64_t width = nn::share(s, "intermediate features", c.intermediate_size);
  const Value both = linear(s / "Wi", x, 2 * c.intermediate_size, columns(c.mlp, 2));
  const Value gated =
      nn::activate(c.hidden_activation, slice(both, -1, {0, width})) * slice(both, -1, {width, 2 * width});
  return linear(s / "Wo", dropout_of_part(s, gated, c.mlp_dropout), c.hidden_size, rows(residual(c, c.mlp)));
}

Value encoder_layer(const Scope& s, const ModernBertConfig& c, int64_t layer, const Value& x,
                    const Surroundings& around) {
  // The input of the first layer is already normalised.
  const Value normed = layer == 0 ? x : layer_norm(s / "attn_norm", x, c.norm_eps, c.norm);
  const Value h = x + self_attention(s / "attn", c, normed, around);
  return h + mlp(s / "mlp", c, layer_norm(s / "mlp_norm", h, c.norm_eps, c.norm));
}

// Mean of x [batch, seq, hidden] over the tokens of each row.
Value mean_over_tokens(const Value& x, const Value& attention_mask) {
  const Value weights = expand_dims(convert(attention_mask, DType::kFloat32), -1);  // [batch, seq, 1]
  const Value total = sum(convert(x, DType::kFloat32) * weights, {1});
  // Rows without tokens only fill up a batch.
  const Value count = sum(weights, {1});
  return convert(total / maximum(count, full(count.type(), 1)), x.dtype());
}

constexpr io::FloatRange kTheta{1e-6, 1e12};

// Reads "layer_types" or, in files from before transformers 5, "global_attn_every_n_layers".
std::vector<bool> local_layers(const io::JsonObject& config, int64_t num_hidden_layers) {
  const int64_t period = config.get_int_or("global_attn_every_n_layers", 3, kSize);
  const std::vector<std::string> types = config.get_strings("layer_types");
  std::vector<bool> is_local;
  if (types.empty()) {
    for (int64_t i = 0; i < num_hidden_layers; ++i) is_local.push_back(i % period != 0);
    return is_local;
  }
  for (const std::string& type : types) {
    if (type != "full_attention" && type != "sliding_attention") break;
    is_local.push_back(type == "sliding_attention");
  }
  if (is_local.size() != types.size() || static_cast<int64_t>(types.size()) != num_hidden_layers) {
    throw CheckpointError(
        {.where = "config.json, layer_types",
         .given = std::to_string(types.size()) + " types for " + std::to_string(num_hidden_layers) + " layers" +
                  (is_local.size() < types.size() ? ", \"" + types[is_local.size()] + "\" among them" : ""),
         .expected = "\"full_attention\" or \"sliding_attention\" for each layer"});
  }
  return is_local;
}

// The base of the rotary frequencies of one type of layers, under its old name or that of transformers 5.
void read_theta(const ConfigReader& config, std::string_view old_key, std::string_view layer_type, double& theta) {
  config.read(old_key, theta, kTheta);
  const std::optional<io::JsonObject> all = config.get_object("rope_parameters");
  const std::optional<io::JsonObject> rope = all ? all->get_object(layer_type) : std::nullopt;
  if (!rope) return;
  if (const std::string type = rope->get_string_or("rope_type", "default"); type != "default") {
    throw CheckpointError({.where = "config.json, rope_type",
                           .given = "\"" + type + "\"",
                           .expected = "\"default\", the only supported type for ModernBERT"});
  }
  ConfigReader(*rope).read("rope_theta", theta, kTheta);
}

void read_heads(const ConfigReader& config, ModernBertConfig& c) {
  config.read("classifier_bias", c.classifier.bias);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read_activation("classifier_activation", c.classifier_activation);
  config.read("classifier_pooling", c.classifier_pooling);
  config.read("decoder_bias", c.decoder_bias);
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  if (c.classifier_pooling != "cls" && c.classifier_pooling != "mean") {
    throw CheckpointError({.where = "config.json, classifier_pooling",
                           .given = "\"" + c.classifier_pooling + "\"",
                           .expected = "\"cls\" or \"mean\""});
  }
}

ModernBertConfig modernbert_config(const ConfigReader& config) {
  config.ignore({"cls_token_id", "deterministic_flash_attn", "layer_norm_eps", "position_embedding_type",
                 "reference_compile", "repad_logits_with_grad", "sparse_pred_ignore_index", "sparse_prediction"});
  ModernBertConfig c;
  config.require("vocab_size", c.vocab_size, kVocabulary);
  config.require("hidden_size", c.hidden_size, kSize);
  config.require("intermediate_size", c.intermediate_size, kSize);
  config.require("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.require("num_attention_heads", c.num_attention_heads, kSize);
  config.read_activation("hidden_activation", c.hidden_activation);
  config.read("max_position_embeddings", c.max_position_embeddings, {1, 1 << 24});
  config.read("initializer_range", c.initializer_range, {1e-9, 10});
  config.read("initializer_cutoff_factor", c.initializer_cutoff_factor, {0.1, 100});
  for (nn::LinearOptions* layer : {&c.attention, &c.mlp, &c.classifier}) {
    layer->initializer_cutoff = c.initializer_cutoff_factor;
  }
  config.read("norm_eps", c.norm_eps, kEpsilon);
  config.read("norm_bias", c.norm.bias);
  config.read("attention_bias", c.attention.bias);
  config.read("mlp_bias", c.mlp.bias);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("embedding_dropout", c.embedding_dropout, kRate);
  config.read("mlp_dropout", c.mlp_dropout, kRate);
  c.pad_token_id = std::min(c.pad_token_id, c.vocab_size - 1);
  config.read("pad_token_id", c.pad_token_id, token_or_none(c.vocab_size));
  config.read("local_attention", c.local_attention, kSize);
  c.is_local = local_layers(config, c.num_hidden_layers);
  read_theta(config, "global_rope_theta", "full_attention", c.full_theta);
  read_theta(config, "local_rope_theta", "sliding_attention", c.sliding_theta);
  read_heads(config, c);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  return c;
}

TextModelFacts facts_of(const ModernBertConfig& c) {
  return {.class_prefix = "ModernBert",
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.hidden_size,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_range};
}

class ModernBert final : public TextBody {
 public:
  explicit ModernBert(const ModernBertConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "model";
    const int64_t half = c_.local_attention / 2;
    const Surroundings global = surroundings(c_, in, c_.full_theta, {});
    const Surroundings local = surroundings(c_, in, c_.sliding_theta, {.before = half, .after = half});
    Values x{embed(s / "embeddings", in.input_ids)};
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      const bool is_local = c_.is_local[static_cast<size_t>(i)];
      x.push_back(nn::remat(s, x.back(), encoder_layer(s / "layers" / i, c_, i, x.back(), is_local ? local : global)));
    }
    x.back() = layer_norm(s / "final_norm", x.back(), c_.norm_eps, c_.norm);
    return x;
  }

 private:
  Value embed(const Scope& s, const Value& input_ids) const {
    const Value words = word_embedding(s / "tok_embeddings", input_ids, c_.vocab_size, c_.hidden_size, c_.pad_token_id,
                                       truncated(c_, 1));
    return dropout(s, layer_norm(s / "norm", words, c_.norm_eps, c_.norm), c_.embedding_dropout);
  }

  ModernBertConfig c_;
};

// The common layers of all heads, before the last one.
Value prediction_head(const Scope& root, const ModernBertConfig& c, const Value& x) {
  const Scope s = root / "head";
  const Value dense =
      nn::activate(c.classifier_activation, linear(s / "dense", x, c.hidden_size, residual(c, c.classifier)));
  return layer_norm(s / "norm", dense, c.norm_eps, c.norm);
}

Value classify(const Scope& root, const ModernBertConfig& c, const Value& x, int64_t num_labels) {
  const Scope s = root / "classifier";
  const Value h = dropout(s, prediction_head(root, c, x), c.classifier_dropout);
  const double stddev = 1 / std::sqrt(static_cast<double>(c.hidden_size));
  return logits(s, h, num_labels,
                {.initializer_scale = stddev / c.initializer_range, .initializer_cutoff = c.initializer_cutoff_factor});
}

Value pooled(const ModernBertConfig& c, const HeadInputs& in) {
  return c.classifier_pooling == "mean" ? mean_over_tokens(in.x, in.text.attention_mask) : nn::first_token(in.x);
}

Value sequence_classification(const Scope& root, const ModernBertConfig& c, const HeadInputs& in) {
  return classify(root, c, pooled(c, in), in.num_labels);
}

Value multiple_choice(const Scope& root, const ModernBertConfig& c, const HeadInputs& in) {
  return classify(root, c, pooled(c, in), 1);
}

Value token_labels(const Scope& root, const ModernBertConfig& c, const HeadInputs& in) {
  return classify(root, c, in.x, in.num_labels);
}

Value answer_span(const Scope& root, const ModernBertConfig& c, const HeadInputs& in) {
  return classify(root, c, in.x, 2);
}

Value masked_lm(const Scope& root, const ModernBertConfig& c, const HeadInputs& in) {
  const LmDecoder decoder{"model.embeddings.tok_embeddings.weight", c.tie_word_embeddings, c.vocab_size,
                          truncated(c, residual_scale(c))};
  const Value h = prediction_head(root, c, in.x);
  if (c.decoder_bias) return lm_projection(root / "decoder", h, decoder);
  return lm_logits(root, h, vocabulary_weight(root / "decoder", c.hidden_size, decoder), decoder);
}

}  // namespace

std::unique_ptr<TextModel> modernbert(const io::JsonObject& config) {
  const ModernBertConfig c = modernbert_config(config);
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<ModernBert>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kTokenClassification, head_of(c, token_labels)},
                                           {HeadKind::kQuestionAnswering, head_of(c, answer_span)},
                                           {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
                                           {HeadKind::kMaskedLM, head_of(c, masked_lm)}});
}

}  // namespace portatune::models
