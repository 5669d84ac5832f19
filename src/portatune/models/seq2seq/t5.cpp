#include <cmath>
#include <functional>

#include "portatune/error.h"
#include "portatune/models/architectures.h"
#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/relative_positions.h"
#include "portatune/models/seq2seq/cross_attention.h"
#include "portatune/models/seq2seq/seq2seq_config.h"
#include "portatune/models/seq2seq/seq2seq_heads.h"
#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// The fields of config.json that determine the computation, with their names there.
struct T5Config {
  std::string class_prefix = "T5";
  int64_t vocab_size = 32128;
  int64_t d_model = 512;
  int64_t d_kv = 64;  // size of a head; all heads together may be larger or smaller than d_model
  int64_t d_ff = 2048;
  int64_t num_layers = 6;
  int64_t num_decoder_layers = 0;  // default: num_layers
  int64_t num_heads = 8;
  int64_t relative_attention_num_buckets = 32;
  int64_t relative_attention_max_distance = 128;
  double dropout_rate = 0.1;
  double classifier_dropout = 0.0;
  double layer_norm_epsilon = 1e-6;
  double initializer_factor = 1.0;
  bool is_gated = false;            // of feed_forward_proj
  std::string activation = "relu";  // of feed_forward_proj
  bool scale_decoder_outputs = true;
  bool tie_word_embeddings = true;
  bool biases_all_layers = false;  // each layer has a bias by distance; else the first one has that of all
  Seq2SeqFacts facts = {.pad_token_id = 0, .eos_token_id = 1, .decoder_start_token_id = 0, .max_target = kSize.most};

  // Options of a layer without bias that reads `features` numbers.
  static nn::LinearOptions reading(int64_t features) {
    return {.bias = false, .initializer_scale = 1 / std::sqrt(static_cast<double>(features))};
  }
  nn::SelfAttention attention() const {
    return {.heads = num_heads,
            .head_size = d_kv,
            .dropout = dropout_rate,
            .query = "q",
            .key = "k",
            .value = "v",
            .linear = reading(d_model),
            .query_initializer_scale = 1 / std::sqrt(static_cast<double>(d_kv)),
            .scale = 1};
  }
  RelativeBias relative_bias(bool is_bidirectional) const {
    return {.buckets = {relative_attention_num_buckets, relative_attention_max_distance, is_bidirectional},
            .heads = num_heads,
            .initializer_scale = 1 / std::sqrt(static_cast<double>(d_model))};
  }
};

Value embed(const Scope& root, const Scope& stack, const T5Config& c, const Value& ids) {
  const Scope shared = root / "shared";
  const nn::Initializer normal{nn::Initializer::Kind::kNormal, c.initializer_factor};
  const Value x = word_embedding(shared, ids, c.vocab_size, c.d_model, -1, normal);
  (stack / "embed_tokens").tied_parameter("weight", (shared / "weight").path());
  // In float16 the sums over the layers, which overflow in trained models, are kept in float32.
  const bool is_narrow = stack.options().compute_dtype == DType::kFloat16;
  return dropout(stack, is_narrow ? convert(x, DType::kFloat32) : x, c.dropout_rate);
}

Value norm(const Scope& s, const T5Config& c, const Value& x) {
  return convert(rms_norm(s, x, c.layer_norm_epsilon), s.options().compute_dtype);
}

Value add(const Scope& s, const T5Config& c, const Value& x, const Value& y) {
  return x + convert(dropout(s, y, c.dropout_rate), x.dtype());
}

Value project_out(const Scope& attention, const T5Config& c, const Value& attended) {
  return linear(attention / "o", attended, c.d_model, nn::rows(T5Config::reading(c.num_heads * c.d_kv)));
}

Value feed_forward(const Scope& s, const T5Config& c, const Value& x) {
  const nn::LinearOptions in = nn::columns(T5Config::reading(c.d_model));
  const auto expanded = [&](const char* layer) { return linear(s / layer, x, c.d_ff, in); };
  const Value activated = nn::activate(c.activation, expanded(c.is_gated ? "wi_0" : "wi"));
  const Value h = nn::dropout_of_part(s, c.is_gated ? activated * expanded("wi_1") : activated, c.dropout_rate);
  const bool is_narrow = x.dtype() == DType::kFloat16;  // "wo" overflows in float16
  return linear(s / "wo", is_narrow ? convert(h, DType::kFloat32) : h, c.d_model, nn::rows(T5Config::reading(c.d_ff)));
}

Value add_feed_forward(const Scope& s, const T5Config& c, const Value& x) {
  return add(s, c, x, feed_forward(s / "DenseReluDense", c, norm(s / "layer_norm", c, x)));
}

// mask  the bias of the scores, [batch, heads, seq, seq]
Value encoder_layer(const Scope& s, const T5Config& c, const Value& x, const Value& mask) {
  const Scope first = s / "layer" / 0, attention = first / "SelfAttention";
  const Value attended = self_attention(attention, norm(first / "layer_norm", c, x), mask, c.attention());
  const Value h = add(first, c, x, project_out(attention, c, attended));
  return add_feed_forward(s / "layer" / 1, c, h);
}

Value decoder_layer(const Scope& s, const T5Config& c, int64_t layer, const Value& x, const DecoderPass& pass,
                    const CrossPass& source) {
  const Scope first = s / "layer" / 0, self = first / "SelfAttention";
  const nn::HeadsOfDevice heads = project(self, norm(first / "layer_norm", c, x), c.attention());
  const Value h = add(first, c, x, project_out(self, c, causal_attention(self, pass, layer, heads)));
  const Scope second = s / "layer" / 1, cross = second / "EncDecAttention";
  const Value read = cross_attention(cross, source, layer, norm(second / "layer_norm", c, h), c.attention());
  const Value y = add(second, c, h, project_out(cross, c, read));
  return add_feed_forward(s / "layer" / 2, c, y);
}

Scope scope_of_bias(const Scope& stack, int64_t layer) {
  return stack / "block" / layer / "layer" / 0 / "SelfAttention" / "relative_attention_bias";
}

// The bias of the scores in each layer: its mask, and the bias by distance of some scope.
Values biases_of_layers(const Scope& stack, const T5Config& c, int64_t layers, const Value& mask,
                        const std::function<Value(const Scope&)>& by_distance) {
  Values biases;
  for (int64_t i = 0; i < layers; ++i) {
    const bool has_own = i == 0 || c.biases_all_layers;
    biases.push_back(has_own ? mask + by_distance(scope_of_bias(stack, i)) : biases.front());
  }
  return biases;
}

class T5 final : public Seq2Seq {
 public:
  explicit T5(const T5Config& c) : c_(c) {}

  const Seq2SeqFacts& facts() const override { return c_.facts; }

  Values encoder_states(const Scope& root, const TextInputs& source) const override {
    const Scope s = root / "encoder";
    Values x{embed(root, s, c_, source.input_ids)};
    const Values biases = biases_of_layers(s, c_, c_.num_layers, bias_of_mask(source), [&](const Scope& of_layer) {
      return relative_bias(of_layer, c_.relative_bias(true), source.input_ids.shape()[1]);
    });
    for (int64_t i = 0; i < c_.num_layers; ++i) {
      x.push_back(nn::remat(s, x.back(), encoder_layer(s / "block" / i, c_, x.back(), biases[static_cast<size_t>(i)])));
    }
    return finished(s, std::move(x));
  }

  Values decoder_states(const Scope& root, const TextInputs& target, const EncodedSource& source) const override {
    return decode(root, target, {.mask = bias_of_mask(target)}, cross_pass(target, source));
  }

  // The classes for texts and tokens have the body in "transformer"; that of tokens reads the encoder alone.
  Seq2SeqStates states_of_text(const Scope& root, const TextInputs& in, HeadKind head) const override {
    if (head == HeadKind::kQuestionAnswering) return Seq2Seq::states_of_text(root, in, head);
    const Scope body = root / "transformer";
    if (head == HeadKind::kTokenClassification) return {.encoder = encoder_states(body, in), .decoder = {}};
    return Seq2Seq::states_of_text(body, in, head);
  }

  CrossCache cross_cache(const Scope& root, const EncodedSource& source) const override {
    const Scope blocks = root / "decoder" / "block";
    return make_cross_cache(source, c_.attention(), c_.num_decoder_layers,
                            [&](int64_t i) { return blocks / i / "layer" / 1 / "EncDecAttention"; });
  }

  Value next_hidden_state(const Scope& root, const TextInputs& in, KeyValueCache& cache, const CrossCache& source,
                          const Value& start) const override {
    return decode(root, in, {mask_of(in), &cache, start}, cross_pass(source)).back();
  }

  KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const override {
    return zero_cache(c_.num_decoder_layers, {dtype, {batch, length, c_.num_heads * c_.d_kv}});
  }

 private:
  // pass  with the mask alone; each layer adds its bias by distance
  Values decode(const Scope& root, const TextInputs& in, DecoderPass pass, const CrossPass& source) const {
    const Scope s = root / "decoder";
    const int64_t length = pass.mask.shape().back();
    const Values biases = biases_of_layers(s, c_, c_.num_decoder_layers, pass.mask, [&](const Scope& of_layer) {
      const RelativeBias bias = c_.relative_bias(false);
      return pass.start ? relative_bias_at(of_layer, bias, length, pass.start) : relative_bias(of_layer, bias, length);
    });
    Values x{embed(root, s, c_, in.input_ids)};
    for (int64_t i = 0; i < c_.num_decoder_layers; ++i) {
      pass.mask = biases[static_cast<size_t>(i)];
      x.push_back(nn::remat(s, x.back(), decoder_layer(s / "block" / i, c_, i, x.back(), pass, source)));
    }
    return finished(s, std::move(x));
  }

  // The states of a stack, the last of them normalised.
  Values finished(const Scope& s, Values x) const {
    x.back() = dropout(s, norm(s / "final_layer_norm", c_, x.back()), c_.dropout_rate);
    return x;
  }

  T5Config c_;
};

// "relu", or "gated-gelu" with a second projection; gelu is then that of tanh.
void read_feed_forward(const ConfigReader& config, const std::string& fallback, T5Config& c) {
  const std::string name = config.get_string_or("feed_forward_proj", fallback);
  c.is_gated = name.starts_with("gated-");
  c.activation = name == "gated-gelu" ? "gelu_new" : name.substr(c.is_gated ? 6 : 0);
  if (nn::is_activation(c.activation)) return;
  throw CheckpointError({.where = "config.json, feed_forward_proj",
                         .given = "\"" + name + "\"",
                         .expected = "relu, gated-gelu, or another supported activation, with or without gated-"});
}

// Files of transformers 4 untie the embeddings of models whose outputs are not scaled. Those of transformers 5 always
// claim tied ones, and say whether outputs are scaled.
void read_outputs(const ConfigReader& config, T5Config& c) {
  config.read("tie_word_embeddings", c.tie_word_embeddings);
  c.scale_decoder_outputs = c.tie_word_embeddings;
  config.read("scale_decoder_outputs", c.scale_decoder_outputs);
  c.tie_word_embeddings = c.scale_decoder_outputs;
}

// The defaults with the fields that all variants have.
T5Config t5_config(const ConfigReader& config, T5Config c) {
  config.ignore({"dense_act_fn", "initializer_range", "is_gated_act", "n_positions", "tokenizer_class"});
  config.read("vocab_size", c.vocab_size, kVocabulary);
  config.read("d_model", c.d_model, kSize);
  config.read("d_kv", c.d_kv, kSize);
  config.read("d_ff", c.d_ff, {1, 1 << 22});
  config.read("num_layers", c.num_layers, kLayers);
  c.num_decoder_layers = c.num_layers;
  config.read("num_decoder_layers", c.num_decoder_layers, kLayers);
  config.read("num_heads", c.num_heads, kSize);
  config.read("relative_attention_num_buckets", c.relative_attention_num_buckets, {4, 1 << 16});
  config.read("relative_attention_max_distance", c.relative_attention_max_distance,
              {c.relative_attention_num_buckets, kSize.most});
  config.read("dropout_rate", c.dropout_rate, kRate);
  config.read("classifier_dropout", c.classifier_dropout, kRate);
  config.read("layer_norm_epsilon", c.layer_norm_epsilon, kEpsilon);
  config.read("initializer_factor", c.initializer_factor, kDeviation);
  c.facts = seq2seq_facts(config, c.facts, c.vocab_size, c.vocab_size);
  return c;
}

TextModelFacts facts_of(const T5Config& c) {
  return {.class_prefix = c.class_prefix,
          .base_prefix = "transformer",
          .vocab_size = c.vocab_size,
          .hidden_size = c.d_model,
          .max_length = kSize.most,
          .type_vocab_size = 0,
          .initializer_range = c.initializer_factor};
}

nn::LinearOptions linear_of_head(const T5Config& c) {
  nn::LinearOptions options = T5Config::reading(c.d_model);
  options.bias = true;
  return options;
}

Value sequence_classification(const Scope& root, const T5Config& c, const HeadInputs& in) {
  return classification_head(root, in, c.facts.eos_token_id, c.classifier_dropout, linear_of_head(c));
}

Value question_answering_of_t5(const Scope& root, const T5Config& c, const HeadInputs& in) {
  return logits(root / "qa_outputs", in.x, 2, linear_of_head(c));
}

Value seq2seq_lm(const Scope& root, const T5Config& c, const HeadInputs& in) {
  const nn::Initializer normal{nn::Initializer::Kind::kNormal, c.initializer_factor};
  const LmDecoder lm{"shared.weight", c.tie_word_embeddings, c.vocab_size, normal};
  const Value x = c.scale_decoder_outputs ? in.x * (1 / std::sqrt(static_cast<double>(c.d_model))) : in.x;
  return lm_logits(root, x, vocabulary_weight(root / "lm_head", c.d_model, lm), lm);
}

std::unique_ptr<TextModel> make(const T5Config& c) {
  return std::make_unique<TextModel>(facts_of(c), std::make_unique<T5>(c),
                                     Heads{{HeadKind::kSequenceClassification, head_of(c, sequence_classification)},
                                           {HeadKind::kTokenClassification, token_classification(c.classifier_dropout)},
                                           {HeadKind::kQuestionAnswering, head_of(c, question_answering_of_t5)},
                                           {HeadKind::kSeq2SeqLM, head_of(c, seq2seq_lm)}});
}

// A variant in a hundred languages. The published files do not tie the embeddings; transformers 5 claims so when it
// saves them.
std::unique_ptr<TextModel> multilingual(const io::JsonObject& object, T5Config c) {
  const ConfigReader config(object);
  config.ignore({"scale_decoder_outputs", "tie_word_embeddings"});
  c.vocab_size = 250112;
  c.d_ff = 1024;
  c.num_layers = 8;
  c.num_heads = 6;
  c.tie_word_embeddings = false;
  c = t5_config(config, std::move(c));
  read_feed_forward(config, "gated-gelu", c);
  return make(c);
}

}  // namespace

std::unique_ptr<TextModel> t5(const io::JsonObject& object) {
  const ConfigReader config(object);
  T5Config c = t5_config(config, {});
  read_feed_forward(config, "relu", c);
  read_outputs(config, c);
  config.require("decoder_start_token_id", c.facts.decoder_start_token_id, {0, c.vocab_size - 1});
  return make(c);
}

std::unique_ptr<TextModel> mt5(const io::JsonObject& object) {
  return multilingual(object, {.class_prefix = "MT5", .scale_decoder_outputs = false});
}

// transformers 5 always scales the outputs, transformers 4 did so by tie_word_embeddings.
std::unique_ptr<TextModel> umt5(const io::JsonObject& object) {
  return multilingual(object, {.class_prefix = "UMT5", .scale_decoder_outputs = true, .biases_all_layers = true});
}

}  // namespace portatune::models
