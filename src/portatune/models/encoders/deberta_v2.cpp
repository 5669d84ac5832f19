#include <cmath>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/encoders/disentangled_attention.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/text_inputs.h"
#include "portatune/models/unused_layers.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that DeBERTa has in addition to BERT's, with their names there.
struct DebertaConfig : BertFields {
  int64_t embedding_size = 0;  // default: hidden_size
  bool position_biased_input = true;
  bool relative_attention = false;
  int64_t position_buckets = -1;
  int64_t max_relative_positions = -1;  // less than 1: max_position_embeddings
  bool c2p = false, p2c = false;        // terms of pos_att_type
  bool share_att_key = false;
  bool normalises_distances = false;  // of norm_rel_ebd
  int64_t conv_kernel_size = 0;       // 0: no convolution
  std::string conv_act = "tanh";
  // Fields of the heads.
  std::optional<double> cls_dropout;  // absent: hidden_dropout_prob
  double pooler_dropout = 0;
  std::string pooler_hidden_act = "gelu";
  bool legacy = true;

  // The number of distances on each side that have an embedding.
  int64_t span() const { return position_buckets > 0 ? position_buckets : max_relative_positions; }
  LogBuckets buckets() const { return {position_buckets, max_relative_positions}; }

  DisentangledAttention attention() const {
    const int64_t head_size = hidden_size / num_attention_heads, terms = 1 + int64_t{c2p} + int64_t{p2c};
    return {.content = {.heads = num_attention_heads,
                        .head_size = head_size,
                        .dropout = attention_probs_dropout_prob,
                        .query = "query_proj",
                        .key = "key_proj",
                        .value = "value_proj",
                        .scale = 1 / std::sqrt(static_cast<double>(head_size * terms))},
            .c2p = c2p,
            .p2c = p2c,
            .shares_projections = share_att_key,
            .distance_dropout = hidden_dropout_prob};
  }
};

// The sum of the embeddings that the model has, normalised; [batch, seq, hidden_size].
Value embed(const Scope& s, const DebertaConfig& c, const TextInputs& in) {
  Value x = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.embedding_size, c.pad_token_id);
  if (c.position_biased_input) {
    x = x + embedding(s / "position_embeddings", positions_of(in), c.max_position_embeddings, c.embedding_size);
  }
  if (c.type_vocab_size > 0) {
    const Value ids = in.token_type_ids ? in.token_type_ids : full(in.input_ids.type(), 0);
    x = x + embedding(s / "token_type_embeddings", ids, c.type_vocab_size, c.embedding_size);
  }
  if (c.embedding_size != c.hidden_size) x = linear(s / "embed_proj", x, c.hidden_size, {.bias = false});
  return dropout(s, layer_norm(s / "LayerNorm", x, c.layer_norm_eps), c.hidden_dropout_prob);
}

// Each token of x beside its neighbours in the same text, [batch, seq, (2 reach + 1) * hidden]; zeros beyond the text.
Value with_neighbours(const Value& x, const Value& attention_mask, int64_t reach) {
  const int64_t seq = x.shape()[1];
  const Value mask = attention_mask ? attention_mask : full({DType::kInt32, {x.shape()[0], seq}}, 1);
  const Value padded = pad(x, 1, reach, reach), padded_mask = pad(mask, 1, reach, reach);
  const Value zero = full({x.dtype(), {}}, 0);
  Values tokens;
  for (int64_t i = 0; i <= 2 * reach; ++i) {
    const Range range{i, i + seq};
    const Value is_same_text = compare(Direction::kEqual, slice(padded_mask, 1, range), mask);
    tokens.push_back(select(broadcast_to(expand_dims(is_same_text, -1), x.shape()), slice(padded, 1, range), zero));
  }
  return concatenate(tokens, -1);
}

// LayerNorm(y + activation(convolution of x over the positions)): what the first layer returns, with y its output and
// x its input.
Value add_convolution(const Scope& s, const DebertaConfig& c, const Value& x, const Value& y, const TextInputs& in) {
  const Scope conv = s / "conv";
  const nn::Initializer normal{nn::Initializer::Kind::kNormal, c.initializer_range};
  const int64_t size = c.hidden_size, kernel = c.conv_kernel_size;
  const Value filter = conv.rounded_parameter("weight", {size, size, kernel}, normal);
  const Value weight = reshape(transpose(filter, {0, 2, 1}), {size, kernel * size});
  const Value bias = conv.parameter("bias", {size}, {nn::Initializer::Kind::kZeros});
  const Value convolved = linear(with_neighbours(x, in.attention_mask, kernel / 2), weight, bias);
  const Value h = nn::activate(c.conv_act, dropout(s, convolved, c.hidden_dropout_prob));
  return layer_norm(s / "LayerNorm", y + h, c.layer_norm_eps);
}

class Deberta final : public TextBody {
 public:
  explicit Deberta(const DebertaConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const Scope s = root / "deberta", encoder = s / "encoder";
    Values x{embed(s / "embeddings", c_, in)};
    const Value mask = c_.relative_attention ? bias_of_mask(in) : mask_of(in);
    const std::optional<Distances> by_distance = distances_of(encoder, in.input_ids.shape()[1]);
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      Value y = layer(encoder / "layer" / i, x.back(), mask, by_distance);
      if (i == 0 && c_.conv_kernel_size > 0) y = add_convolution(encoder / "conv", c_, x.back(), y, in);
      x.push_back(nn::remat(s, x.back(), y));
    }
    return x;
  }

 private:
  std::optional<Distances> distances_of(const Scope& s, int64_t length) const {
    if (!c_.relative_attention) {
      if (c_.normalises_distances) unused_norm(s / "LayerNorm", c_.hidden_size);
      return std::nullopt;
    }
    const nn::Initializer normal{nn::Initializer::Kind::kNormal, c_.initializer_range};
    Value table = (s / "rel_embeddings").rounded_parameter("weight", {2 * c_.span(), c_.hidden_size}, normal);
    table = convert(table, s.options().compute_dtype);
    if (c_.normalises_distances) table = layer_norm(s / "LayerNorm", table, c_.layer_norm_eps);
    return distances(table, c_.buckets(), length);
  }

  Value layer(const Scope& s, const Value& x, const Value& mask, const std::optional<Distances>& by_distance) const {
    const Scope self = s / "attention" / "self";
    const DisentangledAttention a = c_.attention();
    const Value attended = by_distance ? disentangled_attention(self, a, x, mask, *by_distance)
                                       : nn::self_attention(self, x, mask, a.content);
    return bert_layer(s, c_, x, attended);
  }

  DebertaConfig c_;
};

Value pooled_logits(const Scope& root, const DebertaConfig& c, const Value& x, int64_t num_labels) {
  const Scope s = root / "pooler";
  const Value first = dropout(s, nn::first_token(x), c.pooler_dropout);
  const Value pooled = nn::activate(c.pooler_hidden_act, linear(s / "dense", first, c.hidden_size));
  return classifier(root, pooled, num_labels, c.cls_dropout.value_or(c.hidden_dropout_prob));
}

Value sequence_classification(const Scope& root, const DebertaConfig& c, const HeadInputs& in) {
  return pooled_logits(root, c, in.x, in.num_labels);
}

Value multiple_choice(const Scope& root, const DebertaConfig& c, const HeadInputs& in) {
  return pooled_logits(root, c, in.x, 1);
}

// The older layout of the head, "legacy", is BERT's; the other one belongs to the published weights of v3.
Value masked_lm(const Scope& root, const DebertaConfig& c, const HeadInputs& in) {
  const char* embeddings = "deberta.embeddings.word_embeddings.weight";
  const Scope s = c.legacy ? root / "cls" / "predictions" : root / "lm_predictions" / "lm_head";
  const Scope transform = c.legacy ? s / "transform" : s;
  const Value dense = linear(transform / "dense", in.x, c.embedding_size);
  const Value h = layer_norm(transform / "LayerNorm", nn::activate(c.hidden_act, dense), c.layer_norm_eps);
  return c.legacy ? lm_decoder(s, h, {embeddings, c.tie_word_embeddings, c.vocab_size})
                  : lm_projection(s, h, {embeddings, true, c.vocab_size});
}

// Reads a list, or strings with | between them.
std::vector<std::string> names_of(const ConfigReader& config, std::string_view key) {
  if (config.type_of(key) != "string") return config.get_strings(key);
  std::vector<std::string> names;
  std::string text = config.get_string(key);
  for (size_t end = text.find('|'); end != std::string::npos; end = text.find('|')) {
    names.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  names.push_back(text);
  return names;
}

void read_terms(const ConfigReader& config, DebertaConfig& c) {
  for (const std::string& name : names_of(config, "pos_att_type")) {
    if (name != "c2p" && name != "p2c") {
      throw CheckpointError({.where = "config.json, pos_att_type",
                             .given = "\"" + name + "\"",
                             .expected = "\"c2p\", \"p2c\", or both as \"c2p|p2c\" or as a list"});
    }
    (name == "c2p" ? c.c2p : c.p2c) = true;
  }
  if (c.relative_attention && !c.c2p && !c.p2c) {
    throw CheckpointError({.where = "config.json, pos_att_type",
                           .given = "none, with relative_attention true",
                           .expected = "\"c2p\", \"p2c\", or both: the terms of the distances"});
  }
}

void read_distances(const ConfigReader& config, DebertaConfig& c) {
  config.read("relative_attention", c.relative_attention);
  config.read("position_buckets", c.position_buckets, {-1, kSize.most});
  config.read("max_relative_positions", c.max_relative_positions, {-1, kSize.most});
  config.read("share_att_key", c.share_att_key);
  if (c.max_relative_positions < 1) c.max_relative_positions = c.max_position_embeddings;
  read_terms(config, c);
  for (const std::string& name : names_of(config, "norm_rel_ebd")) c.normalises_distances |= name == "layer_norm";
  if (c.position_buckets > 0 && (c.position_buckets < 2 || c.max_relative_positions <= c.position_buckets / 2 + 1)) {
    throw CheckpointError({.where = "config.json, position_buckets",
                           .given = std::to_string(c.position_buckets) + ", with max_relative_positions " +
                                    std::to_string(c.max_relative_positions),
                           .expected = "at least 2, and less than twice the largest distance"});
  }
}

void read_convolution(const ConfigReader& config, DebertaConfig& c) {
  config.read("conv_kernel_size", c.conv_kernel_size, {0, 63});
  config.read_activation("conv_act", c.conv_act);
  if (c.conv_kernel_size > 0 && c.conv_kernel_size % 2 == 0) {
    throw CheckpointError({.where = "config.json, conv_kernel_size",
                           .given = std::to_string(c.conv_kernel_size),
                           .expected = "an odd number, which keeps the number of positions, or 0"});
  }
  if (const int64_t groups = config.get_int_or("conv_groups", 1); groups != 1) {
    throw CheckpointError({.where = "config.json, conv_groups",
                           .given = std::to_string(groups),
                           .expected = "1, the only supported number"});
  }
}

// Sizes for which transformers has fields, and which its layers require to be hidden_size.
void require_hidden_size(const DebertaConfig& c, const char* key, int64_t size) {
  if (size == c.hidden_size) return;
  throw CheckpointError({.where = std::string("config.json, ") + key,
                         .given = std::to_string(size) + " features, with hidden_size " + std::to_string(c.hidden_size),
                         .expected = "as many features as hidden_size"});
}

DebertaConfig deberta_config(const ConfigReader& config) {
  DebertaConfig c{bert_fields(config, {.type_vocab_size = 0, .layer_norm_eps = 1e-7})};
  c.embedding_size = c.hidden_size;
  config.read("embedding_size", c.embedding_size, kSize);
  config.read("position_biased_input", c.position_biased_input);
  read_distances(config, c);
  read_convolution(config, c);
  config.read("cls_dropout", c.cls_dropout, kRate);
  config.read("pooler_dropout", c.pooler_dropout, kRate);
  config.read_activation("pooler_hidden_act", c.pooler_hidden_act);
  config.read("legacy", c.legacy);
  require_hidden_size(c, "pooler_hidden_size", config.get_int_or("pooler_hidden_size", c.hidden_size));
  const int64_t head_size = c.hidden_size / c.num_attention_heads;
  require_hidden_size(c, "attention_head_size",
                      config.get_int_or("attention_head_size", head_size, kSize) * c.num_attention_heads);
  if (!c.legacy) require_hidden_size(c, "embedding_size, with legacy false", c.embedding_size);
  return c;
}

// Without position embeddings, texts may be of any length.
TextModelFacts facts_of(const DebertaConfig& c) {
  TextModelFacts facts = bert_facts("DebertaV2", "deberta", c);
  if (!c.position_biased_input) facts.max_length = kSize.most;
  return facts;
}

}  // namespace

std::unique_ptr<TextModel> deberta_v2(const io::JsonObject& config) {
  const DebertaConfig c = deberta_config(config);
  return std::make_unique<TextModel>(
      facts_of(c), std::make_unique<Deberta>(c),
      Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
            {HeadKind::kTokenClassification, token_classification(c.hidden_dropout_prob)},
            {HeadKind::kQuestionAnswering, question_answering()},
            {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
            {HeadKind::kMaskedLM, head_of(c, masked_lm)}});
}

}  // namespace portatune::models
