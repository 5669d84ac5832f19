#include "portatune/models/seq2seq/bart_family.h"

#include <cmath>
#include <functional>

#include "portatune/models/decoders/decoder_heads.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/one_text_per_row.h"
#include "portatune/models/seq2seq/seq2seq_config.h"
#include "portatune/models/seq2seq/seq2seq_heads.h"
#include "portatune/models/text_inputs.h"
#include "portatune/models/unused_layers.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr double kLayerNormEps = 1e-5;

AttentionLayers attention_of(const BartConfig& c, const BartStack& stack) {
  const nn::SelfAttention all{.heads = stack.attention_heads,
                              .head_size = c.d_model / stack.attention_heads,
                              .dropout = c.attention_dropout,
                              .query = "q_proj",
                              .key = "k_proj",
                              .value = "v_proj",
                              .linear = {.bias = c.attention_bias}};
  return {all, c.key_bias};
}

// The last layer of attention.
Value attention_output(const Scope& s, const BartConfig& c, const Value& attended) {
  return linear(s, attended, c.d_model, nn::rows({.bias = c.attention_bias}));
}

Value positions(const Scope& s, const BartConfig& c, const TextInputs& in) {
  const Value ids = positions_of(in);
  if (!c.has_sinusoids) {
    const Value offset = full({DType::kInt32, {}}, static_cast<double>(c.position_offset));
    return embedding(s, ids + offset, c.max_position_embeddings + c.position_offset, c.d_model);
  }
  const Value table =
      s.buffer("weight", {c.max_position_embeddings, c.d_model}, {nn::Initializer::Kind::kSplitSinusoids});
  return convert(gather_rows(table, ids), s.options().compute_dtype);
}

// The scope of the words of a stack.
Scope scope_of_words(const Scope& model, const Scope& stack, const BartConfig& c) {
  return c.shares_embeddings ? model / "shared" : stack / "embed_tokens";
}

Value embed(const Scope& model, const Scope& s, const BartConfig& c, const BartStack& stack, const TextInputs& in) {
  const Scope own = scope_of_words(model, s, c);
  Value words = word_embedding(own, in.input_ids, stack.vocab_size, c.d_model, c.facts.pad_token_id);
  if (c.shares_embeddings) (s / "embed_tokens").tied_parameter("weight", (own / "weight").path());
  if (c.scale_embedding) words = words * std::sqrt(static_cast<double>(c.d_model));
  Value x = words + positions(s / "embed_positions", c, in);
  if (c.norms_embeddings) x = layer_norm(s / "layernorm_embedding", x, kLayerNormEps);
  return dropout(s, x, c.dropout);
}

// A part of a layer with its norm: LayerNorm(x + Dropout(f(x))), or x + Dropout(f(LayerNorm(x))).
template <class F>
Value add_part(const Scope& norm, const BartConfig& c, const Value& x, const F& f) {
  const Value y = f(c.norms_inputs ? layer_norm(norm, x, kLayerNormEps) : x);
  const Value sum = x + dropout(norm, y, c.dropout);
  return c.norms_inputs ? sum : layer_norm(norm, sum, kLayerNormEps);
}

Value add_feed_forward(const Scope& s, const BartConfig& c, int64_t ffn_dim, const Value& x,
                       double activation_dropout) {
  return add_part(s / "final_layer_norm", c, x, [&](const Value& in) {
    const Value expanded = nn::activate(c.activation_function, linear(s / "fc1", in, ffn_dim, nn::columns()));
    return linear(s / "fc2", nn::dropout_of_part(s / "fc1", expanded, activation_dropout), c.d_model, nn::rows());
  });
}

// Attention of encoder layer `layer` to the source x; s is its scope.
using Attend = std::function<Value(const Scope& s, int64_t layer, const Value& x)>;

// mask  of attention()
Attend full_attention(const BartConfig& c, const Value& mask) {
  return [&c, mask](const Scope& s, int64_t, const Value& x) {
    const nn::HeadsOfDevice heads = project(s, x, attention_of(c, c.encoder));
    return attention_output(s / "out_proj", c, attention(s, heads, mask));
  };
}

Attend attention_by_blocks(const BartConfig& c, const TextInputs& source) {
  return [&c, attend = BlockAttention(c.class_prefix, *c.block_attention, source)](const Scope& s, int64_t layer,
                                                                                   const Value& x) {
    nn::SelfAttention a = attention_of(c, c.encoder).all;
    a.query = "query", a.key = "key", a.value = "value";
    const Scope self = s / "self";
    return attention_output(s / "output", c, attend(self, layer, project(self, x, a)));
  };
}

Value encoder_layer(const Scope& s, const BartConfig& c, int64_t layer, const Value& x, const Attend& attend) {
  const Value h =
      add_part(s / "self_attn_layer_norm", c, x, [&](const Value& in) { return attend(s / "self_attn", layer, in); });
  // BigBirdPegasus has no such dropout here.
  return add_feed_forward(s, c, c.encoder.ffn_dim, h, c.block_attention ? 0 : c.activation_dropout);
}

// x, and the outputs of the layers. s: scope of the encoder
Values run_encoder(const Scope& s, const BartConfig& c, const Value& x, const Attend& attend) {
  Values states{x};
  for (int64_t i = 0; i < c.encoder.layers; ++i) {
    states.push_back(nn::remat(s, states.back(), encoder_layer(s / "layers" / i, c, i, states.back(), attend)));
  }
  return states;
}

// Attention to a source with its norm.
Value add_cross_attention(const Scope& s, const BartConfig& c, int64_t layer, const Value& x, const CrossPass& source) {
  const Scope cross = s / "encoder_attn";
  return add_part(s / "encoder_attn_layer_norm", c, x, [&](const Value& in) {
    return attention_output(cross / "out_proj", c,
                            cross_attention(cross, source, layer, in, attention_of(c, c.decoder)));
  });
}

// The layers of add_cross_attention() in a decoder alone.
void keep_cross_attention(const Scope& s, const BartConfig& c) {
  const Scope cross = s / "encoder_attn";
  for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
    const bool has_bias = c.attention_bias && (c.key_bias || name != std::string_view("k_proj"));
    unused_linear(cross / name, c.d_model, c.d_model, {.bias = has_bias});
  }
  unused_norm(s / "encoder_attn_layer_norm", c.d_model);
}

// source  null for a decoder alone
Value decoder_layer(const Scope& s, const BartConfig& c, int64_t layer, const Value& x, const DecoderPass& pass,
                    const CrossPass* source) {
  const Scope self = s / "self_attn";
  Value h = add_part(s / "self_attn_layer_norm", c, x, [&](const Value& in) {
    const nn::HeadsOfDevice heads = project(self, in, attention_of(c, c.decoder));
    return attention_output(self / "out_proj", c, causal_attention(self, pass, layer, heads));
  });
  if (source != nullptr) {
    h = add_cross_attention(s, c, layer, h, *source);
  } else {
    keep_cross_attention(s, c);
  }
  return add_feed_forward(s, c, c.decoder.ffn_dim, h, c.activation_dropout);
}

// The states of a stack, the last of them normalised.
Values finished(const Scope& s, const BartConfig& c, Values x) {
  if (c.norms_inputs) x.back() = layer_norm(s / c.final_norm, x.back(), kLayerNormEps);
  return x;
}

// The states of the decoder.
Values decode(const Scope& root, const BartConfig& c, const TextInputs& in, const DecoderPass& pass,
              const CrossPass* source) {
  const Scope s = root / "model" / "decoder";
  Values x{embed(root / "model", s, c, c.decoder, in)};
  for (int64_t i = 0; i < c.decoder.layers; ++i) {
    x.push_back(nn::remat(s, x.back(), decoder_layer(s / "layers" / i, c, i, x.back(), pass, source)));
  }
  return finished(s, c, std::move(x));
}

// The decoder of a model without its encoder.
class BartDecoder final : public LayeredDecoder {
 public:
  explicit BartDecoder(const BartConfig& c) : LayeredDecoder(c.decoder.layers, c.d_model), c_(c) {}

 private:
  Values run(const Scope& root, const TextInputs& in, const DecoderPass& pass) const override {
    return decode(root, c_, in, pass, nullptr);
  }

  BartConfig c_;
};

void read_stack(const ConfigReader& config, const std::string& name, const BartConfig& c, BartStack& stack) {
  config.get_float_or(name + "_layerdrop", 0, {0, 0});  // dropping whole layers is not supported
  config.read(name + "_layers", stack.layers, kLayers);
  config.read(name + "_ffn_dim", stack.ffn_dim, {1, 1 << 22});
  config.read(name + "_attention_heads", stack.attention_heads, kSize);
  require_multiple("d_model", c.d_model, name + "_attention_heads", stack.attention_heads);
}

// The labels of each target, shifted by one, with its last label first.
// position_ids  int32 [batch, length], 0 where a target begins
Value with_last_label_first(const Value& labels, const Value& position_ids, int64_t pad_token_id) {
  const TensorType type = labels.type();
  const int64_t length = type.shape[1];
  const Value padding = full(type, static_cast<double>(pad_token_id)), zero = full(type, 0);
  const Value tokens = select(compare(Direction::kEqual, labels, full(type, -100)), padding, labels);
  const Value is_token = compare(Direction::kNotEqual, tokens, padding);
  const Value is_first = bitwise_and(compare(Direction::kEqual, position_ids, zero), is_token);
  const Value target = select(is_token, cumulative_sum(convert(is_first, type.dtype)), zero);  // from 1; 0: padding
  const Value next = slice(pad(target, 1, 0, 1), 1, {1, length + 1});
  const Value ends = select(compare(Direction::kNotEqual, target, next), tokens, zero);
  const TensorType pairs{type.dtype, {type.shape[0], length, length}};
  const auto broadcast = [&](const Value& x, int64_t axis) { return broadcast_to(expand_dims(x, axis), pairs.shape); };
  const Value is_same = compare(Direction::kEqual, broadcast(target, 2), broadcast(target, 1));
  const Value last = sum(select(is_same, broadcast(ends, 1), full(pairs, 0)), {2});
  return select(is_first, last, slice(pad(tokens, 1, 1, 0), 1, {0, length}));
}

class BartWithBlocks final : public Bart, public OneTextPerRow {
 public:
  explicit BartWithBlocks(const BartConfig& c) : Bart(c), blocks_(*c.block_attention) {}

  int64_t max_padded_length(int64_t tokens) const override { return blocks_.max_padded_length(tokens); }

 private:
  BlockAttentionFields blocks_;
};

Value sequence_classification(const Scope& root, const BartConfig& c, const HeadInputs& in) {
  return classification_head(root, in, c.facts.eos_token_id, c.classifier_dropout);
}

Value seq2seq_lm(const Scope& root, const BartConfig& c, const HeadInputs& in) {
  const Scope model = root / "model", words = scope_of_words(model, model / "decoder", c) / "weight";
  const int64_t size = c.decoder.vocab_size;
  const LmDecoder lm{words.path(), c.ties_output, size};
  const Value logits = lm_logits(root, in.x, vocabulary_weight(root / "lm_head", c.d_model, lm), lm);
  return logits + reshape(root.buffer("final_logits_bias", {1, size}, {}), {size});
}

}  // namespace

TextModelFacts bart_facts(const BartConfig& c) {
  return {.class_prefix = c.class_prefix,
          .base_prefix = "model",
          .vocab_size = c.vocab_size,
          .hidden_size = c.d_model,
          .max_length = c.max_position_embeddings,
          .type_vocab_size = 0,
          .initializer_range = c.init_std};
}

Values Bart::encoder_states(const Scope& root, const TextInputs& source) const {
  const Scope s = root / "model" / "encoder";
  const Attend attend = c_.block_attention ? attention_by_blocks(c_, source) : full_attention(c_, mask_of(source));
  return finished(s, c_, run_encoder(s, c_, embed(root / "model", s, c_, c_.encoder, source), attend));
}

Values Bart::encoder_layers(const Scope& encoder, const Value& x) const {
  const Value mask = full({DType::kFloat32, {1, 1, 1, x.shape()[1]}}, 0);
  return finished(encoder, c_, run_encoder(encoder, c_, x, full_attention(c_, mask)));
}

Values Bart::decoder_states(const Scope& root, const TextInputs& target, const EncodedSource& source) const {
  const CrossPass cross = cross_pass(target, source);
  return decode(root, c_, target, decoder_pass(target), &cross);
}

Value Bart::decoder_input_ids(const Value& labels, const Value& position_ids) const {
  if (!c_.starts_with_last_label) return Seq2Seq::decoder_input_ids(labels, position_ids);
  const Value position = position_ids ? position_ids : iota(labels.type(), 1);
  return with_last_label_first(labels, position, c_.facts.pad_token_id);
}

CrossCache Bart::cross_cache(const Scope& root, const EncodedSource& source) const {
  const Scope layers = root / "model" / "decoder" / "layers";
  return make_cross_cache(source, attention_of(c_, c_.decoder), c_.decoder.layers,
                          [&](int64_t i) { return layers / i / "encoder_attn"; });
}

Value Bart::next_hidden_state(const Scope& root, const TextInputs& in, KeyValueCache& cache, const CrossCache& source,
                              const Value& start) const {
  const CrossPass cross = cross_pass(source);
  return decode(root, c_, in, decoder_pass(in, &cache, start), &cross).back();
}

KeyValueCache Bart::empty_cache(int64_t batch, int64_t length, DType dtype) const {
  return zero_cache(c_.decoder.layers, {dtype, {batch, length, c_.d_model}});
}

BartConfig bart_config(const ConfigReader& config, BartConfig c) {
  config.ignore({"add_bias_logits", "add_final_layer_norm", "classif_dropout", "extra_pos_embeddings",
                 "force_bos_token_to_be_generated", "normalize_before", "normalize_embedding", "num_hidden_layers",
                 "save_step", "static_position_embeddings", "tokenizer_class"});
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("is_encoder_decoder", c.has_encoder);
  bool ties = true;
  config.read("tie_word_embeddings", ties);
  if (!c.has_encoder) c.ties_output = ties;
  if (c.has_encoder && c.shares_embeddings && !ties) {
    throw CheckpointError({.where = "config.json, tie_word_embeddings",
                           .given = "false: four matrices of words",
                           .expected = "true: encoder, decoder and output share one"});
  }
  c.encoder.vocab_size = c.decoder.vocab_size = c.vocab_size;
  if (!c.shares_embeddings) config.read("decoder_vocab_size", c.decoder.vocab_size, kVocabulary);
  config.read("max_position_embeddings", c.max_position_embeddings, kSize);
  config.read("d_model", c.d_model, kSize);
  read_stack(config, "encoder", c, c.encoder);
  read_stack(config, "decoder", c, c.decoder);
  config.read_activation("activation_function", c.activation_function);
  config.read("dropout", c.dropout, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("activation_dropout", c.activation_dropout, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("init_std", c.init_std, kDeviation);
  config.read("scale_embedding", c.scale_embedding);
  c.facts.max_target = c.max_position_embeddings;
  c.facts = seq2seq_facts(config, c.facts, c.vocab_size, c.decoder.vocab_size);
  return c;
}

std::unique_ptr<TextModel> bart_decoder(BartConfig c, const std::string& lm_head) {
  c.shares_embeddings = false;
  TextModelFacts facts = bart_facts(c);
  facts.vocab_size = c.decoder.vocab_size;
  const LmDecoder lm{"model.decoder.embed_tokens.weight", c.ties_output, c.decoder.vocab_size};
  return std::make_unique<TextModel>(std::move(facts), std::make_unique<BartDecoder>(c),
                                     Heads{{HeadKind::kCausalLM, next_token(lm, lm_head)}});
}

std::unique_ptr<TextModel> bart_model(const BartConfig& c, Heads more) {
  if (!c.has_encoder) return bart_decoder(c);
  more.emplace(HeadKind::kSeq2SeqLM, head_of(c, seq2seq_lm));
  std::unique_ptr<Bart> body = c.block_attention ? std::make_unique<BartWithBlocks>(c) : std::make_unique<Bart>(c);
  return std::make_unique<TextModel>(bart_facts(c), std::move(body), std::move(more));
}

Heads bart_classification_heads(const BartConfig& c) {
  return {{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
          {HeadKind::kQuestionAnswering, question_answering()}};
}

}  // namespace portatune::models
