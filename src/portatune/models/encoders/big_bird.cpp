#include <cmath>
#include <functional>

#include "portatune/error.h"
#include "portatune/graph/ops/attention/block_sparse_attention.h"
#include "portatune/models/architectures.h"
#include "portatune/models/config_reader.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/encoders/bert_layers.h"
#include "portatune/models/encoders/big_bird_blocks.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kHiddenKey = -10000;      // bias of a key that block-sparse attention hides, as in transformers
constexpr double kQuestionPenalty = -1e6;  // logits of tokens that are no answer

// The fields of config.json that Big Bird has in addition to BERT's, with their names there.
struct BigBirdConfig : BertFields {
  bool is_decoder = false;
  bool use_bias = true;  // of queries, keys and values
  bool rescale_embeddings = false;
  std::string attention_type = "block_sparse";
  int64_t block_size = 64;
  int64_t num_random_blocks = 3;
  int64_t sep_token_id = 66;

  // Shorter texts have full attention, as in transformers. A decoder always has it.
  bool is_sparse(int64_t length) const {
    return !is_decoder && attention_type == "block_sparse" && length > (5 + 2 * num_random_blocks) * block_size;
  }

  nn::SelfAttention attention() const {
    return {.heads = num_attention_heads,
            .head_size = hidden_size / num_attention_heads,
            .dropout = attention_probs_dropout_prob,
            .linear = {.bias = use_bias}};
  }
};

BigBirdConfig big_bird_config(const ConfigReader& config) {
  BigBirdConfig c{bert_fields_of_any(config, {.hidden_act = "gelu_new", .max_position_embeddings = 4096})};
  config.read("is_decoder", c.is_decoder);
  config.read("use_bias", c.use_bias);
  config.read("rescale_embeddings", c.rescale_embeddings);
  config.read("attention_type", c.attention_type);
  config.read("block_size", c.block_size, kSize);
  config.read("num_random_blocks", c.num_random_blocks, {1, 1024});
  config.read("sep_token_id", c.sep_token_id, token_or_none(c.vocab_size));
  if (c.attention_type != "block_sparse" && c.attention_type != "original_full") {
    throw CheckpointError({.where = "config.json, attention_type",
                           .given = "\"" + c.attention_type + "\"",
                           .expected = "\"block_sparse\" or \"original_full\""});
  }
  if (config.get_bool_or("add_cross_attention", false)) {
    throw CheckpointError({.where = "config.json, add_cross_attention",
                           .given = "true",
                           .expected = "false: Big Bird is supported without cross-attention"});
  }
  return c;
}

Value embeddings(const Scope& s, const BigBirdConfig& c, const TextInputs& in) {
  const Value type_ids = in.token_type_ids ? in.token_type_ids : full(in.input_ids.type(), 0);
  Value words = word_embedding(s / "word_embeddings", in.input_ids, c.vocab_size, c.hidden_size, c.pad_token_id);
  if (c.rescale_embeddings) words = words * std::sqrt(static_cast<double>(c.hidden_size));
  const Value types = embedding(s / "token_type_embeddings", type_ids, c.type_vocab_size, c.hidden_size);
  const Value positions =
      embedding(s / "position_embeddings", positions_of(in), c.max_position_embeddings, c.hidden_size);
  const Value dropped = dropout(s, words + types + positions, c.hidden_dropout_prob);
  return layer_norm(s / "LayerNorm", dropped, c.layer_norm_eps);
}

// Attention of the heads of layer `layer`; s is its scope.
using Attend = std::function<Value(const Scope& s, int64_t layer, const nn::HeadsOfDevice& heads)>;

// The output of the embeddings and of each layer.
Values layers(const Scope& s, const BigBirdConfig& c, const Value& x, const Attend& attend) {
  Values states{x};
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    const Scope layer = s / "layer" / i, self = layer / "attention" / "self";
    const Value attended = attend(self, i, project(self, states.back(), c.attention()));
    states.push_back(nn::remat(s, states.back(), bert_layer(layer, c, states.back(), attended)));
  }
  return states;
}

// The random blocks of a layer's heads on this device, int32 [heads, blocks - 2, num_random_blocks].
Value blocks_of_device(const Scope& s, const BigBirdConfig& c, int64_t length, int64_t layer) {
  const std::vector<int32_t> drawn = random_blocks({.heads = c.num_attention_heads,
                                                    .length = length,
                                                    .block_size = c.block_size,
                                                    .num_random_blocks = c.num_random_blocks,
                                                    .max_position_embeddings = c.max_position_embeddings,
                                                    .seed = static_cast<uint32_t>(layer)});
  const Value of_all = constant(
      Tensor({c.num_attention_heads, length / c.block_size - 2, c.num_random_blocks}, std::span<const int32_t>(drawn)));
  const int64_t heads = nn::share(s, "attention heads", c.num_attention_heads);
  if (heads == c.num_attention_heads) return of_all;
  const Value device = place_of_device(s.options().mesh, {MeshAxis::kTensor});
  return dynamic_slice(of_all, 0, device * static_cast<double>(heads), heads);
}

// Block-sparse attention of a text of whole blocks. There is no dropout of its weights, as in transformers.
//   mask  int32 [batch, length]: 1 for tokens, 0 for padding, whose results are 0
Value sparse_attention(const Scope& s, const BigBirdConfig& c, int64_t layer, const nn::HeadsOfDevice& heads,
                       const Value& mask) {
  const Shape& shape = mask.shape();
  const Value is_token = convert(mask, DType::kFloat32);
  const Value bias = reshape((1.0 - is_token) * kHiddenKey, {shape[0], 1, 1, shape[1]});
  BlockSparseOptions options{.heads = heads.options.heads, .block_size = c.block_size, .scale = heads.options.scale};
  Value random;
  if (s.options().training) {
    options.random_blocks = c.num_random_blocks;
    random = blocks_of_device(s, c, shape[1], layer);
  } else {
    options.first_again = c.num_random_blocks;  // In evaluation transformers takes block 0 for all random ones.
  }
  const Value attended = block_sparse_attention(heads.q, heads.k, heads.v, bias, random, options);
  return attended * convert(expand_dims(is_token, -1), attended.dtype());
}

class BigBird final : public OneTextPerRow {
 public:
  explicit BigBird(const BigBirdConfig& c) : c_(c) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    if (in.packed) {
      throw UsageError({.where = "packing",
                        .given = "Big Bird, whose attention is by blocks",
                        .expected = "one text per row",
                        .fix = "use --padding in place of --packing"});
    }
    const Scope s = root / "bert";
    const Value x = embeddings(s / "embeddings", c_, in);
    if (c_.is_sparse(x.shape()[1])) return sparse_layers(s / "encoder", x, in);
    const Value mask = mask_of(in);
    return layers(s / "encoder", c_, x, [&](const Scope& self, int64_t, const nn::HeadsOfDevice& heads) {
      return attention(self, heads, mask);
    });
  }

  Value pooler_output(const Scope& root, const Value& x) const override { return pooled(root, x); }

  static Value pooled(const Scope& root, const Value& x) {
    return tanh(linear(root / "bert" / "pooler", nn::first_token(x), x.shape().back()));
  }

 private:
  // The layers of a text that is padded to whole blocks, as in transformers; the states are those of its tokens.
  Values sparse_layers(const Scope& s, const Value& x, const TextInputs& in) const {
    const int64_t length = x.shape()[1], padding = (c_.block_size - length % c_.block_size) % c_.block_size;
    const auto padded = [&](const Value& y) { return padding == 0 ? y : pad(y, 1, 0, padding); };
    const Value mask = padded(in.attention_mask ? in.attention_mask : full(in.input_ids.type(), 1));
    Values states = layers(s, c_, padded(x), [&](const Scope& self, int64_t layer, const nn::HeadsOfDevice& heads) {
      return sparse_attention(self, c_, layer, heads, mask);
    });
    if (padding == 0) return states;
    for (Value& state : states) state = slice(state, 1, {0, length});
    return states;
  }

  BigBirdConfig c_;
};

// Big Bird with "is_decoder": the same layers with causal attention.
class BigBirdDecoder final : public LayeredDecoder {
 public:
  explicit BigBirdDecoder(const BigBirdConfig& c) : LayeredDecoder(c.num_hidden_layers, c.hidden_size), c_(c) {}

  Value pooler_output(const Scope& root, const Value& x) const override { return BigBird::pooled(root, x); }

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    const Scope s = root / "bert";
    return layers(s / "encoder", c_, embeddings(s / "embeddings", c_, in),
                  [&](const Scope& self, int64_t layer, const nn::HeadsOfDevice& heads) {
                    return causal_attention(self, pass, layer, heads);
                  });
  }

  BigBirdConfig c_;
};

Value sequence_classification(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  const Scope s = root / "classifier";
  const Value first = dropout(s, nn::first_token(in.x), c.head_dropout());
  const Value h = nn::activate(c.hidden_act, linear(s / "dense", first, c.hidden_size));
  return logits(s / "out_proj", dropout(s, h, c.head_dropout()), in.num_labels);
}

Value multiple_choice(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  return classifier(root, BigBird::pooled(root, in.x), 1, c.hidden_dropout_prob);
}

// float32 [batch, seq, 1]: 1 at the question up to its separator, except at the first token. A text without a separator
// has no question.
Value question_of(const BigBirdConfig& c, const TextInputs& in) {
  const Value& ids = in.input_ids;
  const auto number = [&](int64_t n) { return full({DType::kInt32, {}}, static_cast<double>(n)); };
  const Value is_separator = convert(compare(Direction::kEqual, ids, number(c.sep_token_id)), DType::kInt32);
  const Value separator = expand_dims(argmax(is_separator, 1), -1), position = iota(ids.type(), 1);
  const Value is_question = bitwise_and(compare(Direction::kLessEqual, position, separator),
                                        compare(Direction::kGreater, position, number(0)));
  return expand_dims(convert(is_question, DType::kFloat32), -1);
}

Value answer_span(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  const Scope s = root / "qa_classifier";
  const Value h = bert_feed_forward(s, c, dropout(s, in.x, c.hidden_dropout_prob), in.x);
  return logits(s / "qa_outputs", h, 2) + question_of(c, in.text) * kQuestionPenalty;
}

Value language_model(const Scope& root, const BigBirdConfig& c, const HeadInputs& in) {
  const Scope s = root / "cls" / "predictions";
  const Value dense = linear(s / "transform" / "dense", in.x, c.hidden_size);
  const Value h = layer_norm(s / "transform" / "LayerNorm", nn::activate(c.hidden_act, dense), c.layer_norm_eps);
  return lm_decoder(s, h, {"bert.embeddings.word_embeddings.weight", c.tie_word_embeddings, c.vocab_size});
}

Value next_sentence(const Scope& root, const BigBirdConfig&, const HeadInputs& in) {
  return logits(root / "cls" / "seq_relationship", BigBird::pooled(root, in.x), 2);
}

Heads heads_of(const BigBirdConfig& c) {
  if (c.is_decoder) return {{HeadKind::kCausalLM, head_of(c, language_model)}};
  return {{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
          {HeadKind::kTokenClassification, token_classification(c.head_dropout())},
          {HeadKind::kQuestionAnswering, head_of(c, answer_span)},
          {HeadKind::kMultipleChoice, head_of(c, multiple_choice)},
          {HeadKind::kMaskedLM, head_of(c, language_model)},
          {HeadKind::kPreTraining, head_of(c, next_sentence)}};
}

}  // namespace

std::unique_ptr<TextModel> big_bird(const io::JsonObject& config) {
  const BigBirdConfig c = big_bird_config(config);
  std::unique_ptr<TextBody> body;
  if (c.is_decoder) {
    body = std::make_unique<BigBirdDecoder>(c);
  } else {
    body = std::make_unique<BigBird>(c);
  }
  return std::make_unique<TextModel>(bert_facts("BigBird", "bert", c), std::move(body), heads_of(c));
}

}  // namespace portatune::models
