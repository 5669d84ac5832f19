#include "portatune/models/audio/wav2vec2_family.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/models/audio/contrastive_head.h"
#include "portatune/models/audio/initializers.h"
#include "portatune/models/audio/spec_augment_fields.h"
#include "portatune/models/audio/weighted_sum.h"
#include "portatune/models/audio/windows.h"
#include "portatune/models/audio/xvector.h"
#include "portatune/models/heads.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Initializer;
using nn::Scope;

constexpr double kNormEps = 1e-5;  // of the norms within the convolutions, which config.json does not set

struct Wav2Vec2Fields {
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout = 0.1, activation_dropout = 0.1, attention_dropout = 0.1;
  double feat_proj_dropout = 0, final_dropout = 0.1, layerdrop = 0.1;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-5;
  bool has_group_norm = true;  // feat_extract_norm "group": of the first convolution only; else "layer": of each
  std::string feat_extract_activation = "gelu";
  std::vector<int64_t> conv_dim = std::vector<int64_t>(7, 512);
  std::vector<int64_t> conv_stride = {5, 2, 2, 2, 2, 2, 2};
  std::vector<int64_t> conv_kernel = {10, 3, 3, 3, 3, 2, 2};
  bool conv_bias = false;
  int64_t num_conv_pos_embeddings = 128;
  int64_t num_conv_pos_embedding_groups = 16;
  bool do_stable_layer_norm = false;
  std::optional<int64_t> adapter_attn_dim;  // of the adapters of a language, which layers with a stable norm have
  SpecAugment spec_augment;
  bool use_weighted_layer_sum = false;
  int64_t classifier_proj_size = 256;
  int64_t vocab_size = 32;
  XVectorFields xvector;
  ContrastiveFields contrastive;

  // Whether the model has a vector for masked frames, also if spec_augment is not applied.
  bool has_masked_spec_embed() const { return spec_augment.time.prob > 0 || spec_augment.feature.prob > 0; }
};

void read_ints(const ConfigReader& config, std::string_view key, std::vector<int64_t>& field) {
  if (config.has(key)) field = config.get_ints(key, kSize);
}

void read_convolutions(const ConfigReader& config, Wav2Vec2Fields& c) {
  read_ints(config, "conv_dim", c.conv_dim);
  read_ints(config, "conv_stride", c.conv_stride);
  read_ints(config, "conv_kernel", c.conv_kernel);
  config.read("conv_bias", c.conv_bias);
  config.read_activation("feat_extract_activation", c.feat_extract_activation);
  std::string norm = "group";
  config.read("feat_extract_norm", norm);
  if (norm != "group" && norm != "layer") {
    throw CheckpointError(
        {.where = "config.json, feat_extract_norm", .given = "\"" + norm + "\"", .expected = "\"group\" or \"layer\""});
  }
  c.has_group_norm = norm == "group";
  if (c.conv_dim.empty() || c.conv_dim.size() != c.conv_stride.size() || c.conv_dim.size() != c.conv_kernel.size()) {
    throw CheckpointError({.where = "config.json, conv_dim, conv_stride and conv_kernel",
                           .given = std::to_string(c.conv_dim.size()) + ", " + std::to_string(c.conv_stride.size()) +
                                    " and " + std::to_string(c.conv_kernel.size()) + " numbers",
                           .expected = "one number for each convolution in all of them"});
  }
}

Wav2Vec2Fields fields_of(const ConfigReader& config) {
  config.ignore({"num_feat_extract_layers"});
  Wav2Vec2Fields c;
  config.require("hidden_size", c.hidden_size, kSize);
  config.require("num_hidden_layers", c.num_hidden_layers, kLayers);
  config.require("num_attention_heads", c.num_attention_heads, kSize);
  config.require("intermediate_size", c.intermediate_size, kSize);
  config.read_activation("hidden_act", c.hidden_act);
  config.read("hidden_dropout", c.hidden_dropout, kRate);
  config.read("activation_dropout", c.activation_dropout, kRate);
  config.read("attention_dropout", c.attention_dropout, kRate);
  config.read("feat_proj_dropout", c.feat_proj_dropout, kRate);
  config.read("final_dropout", c.final_dropout, kRate);
  config.read("layerdrop", c.layerdrop, kRate);
  config.read("initializer_range", c.initializer_range, kDeviation);
  config.read("layer_norm_eps", c.layer_norm_eps, kEpsilon);
  read_convolutions(config, c);
  config.read("num_conv_pos_embeddings", c.num_conv_pos_embeddings, kSize);
  config.read("num_conv_pos_embedding_groups", c.num_conv_pos_embedding_groups, kSize);
  config.read("do_stable_layer_norm", c.do_stable_layer_norm);
  if (config.has("adapter_attn_dim")) c.adapter_attn_dim = config.get_int("adapter_attn_dim", kSize);
  config.read("use_weighted_layer_sum", c.use_weighted_layer_sum);
  config.read("classifier_proj_size", c.classifier_proj_size, kSize);
  config.read("vocab_size", c.vocab_size, kVocabulary);
  c.spec_augment = spec_augment_of(config);
  c.xvector = xvector_fields(config);
  c.contrastive = contrastive_fields(config);
  require_multiple("hidden_size", c.hidden_size, "num_attention_heads", c.num_attention_heads);
  require_multiple("hidden_size", c.hidden_size, "num_conv_pos_embedding_groups", c.num_conv_pos_embedding_groups);
  return c;
}

std::optional<CtcFacts> ctc_of(const ConfigReader& config, const Wav2Vec2Fields& c) {
  CtcFacts ctc{.vocab_size = c.vocab_size, .blank_id = 0};
  std::string reduction = "sum";
  config.read("ctc_loss_reduction", reduction);
  config.read("ctc_zero_infinity", ctc.zero_infinity);
  if (reduction != "sum" && reduction != "mean") {
    throw CheckpointError({.where = "config.json, ctc_loss_reduction",
                           .given = "\"" + reduction + "\"",
                           .expected = "\"sum\" or \"mean\""});
  }
  ctc.is_mean = reduction == "mean";
  config.read("pad_token_id", ctc.blank_id, {0, c.vocab_size - 1});
  return ctc;
}

AudioModelFacts facts_of(const ConfigReader& config, const Wav2Vec2Fields& c, const Wav2Vec2Variant& variant) {
  AudioModelFacts facts{.class_prefix = variant.class_prefix,
                        .base_prefix = variant.base_prefix,
                        .classification_class = variant.class_prefix + "ForSequenceClassification",
                        .hidden_size = c.hidden_size,
                        .initializer_range = c.initializer_range,
                        .masks_padding = !c.has_group_norm,
                        .feature_encoder = "feature_extractor"};
  for (size_t i = 0; i < c.conv_dim.size(); ++i) facts.convolutions.push_back({c.conv_kernel[i], c.conv_stride[i]});
  if (config.get_bool_or("apply_spec_augment", true)) facts.spec_augment = c.spec_augment;
  facts.ctc = ctc_of(config, c);
  if (variant.adapter) {
    facts.adapter_strides = variant.adapter->strides();
  } else if (variant.has_further_heads) {
    facts.xvector = {variant.class_prefix + "ForXVector", c.xvector.min_frames()};
    facts.contrastive = c.contrastive.facts(variant.class_prefix + "ForPreTraining");
  }
  return facts;
}

// Each channel over time: GroupNorm with a group for each channel. x [batch, frames, channels]
// source  Wu and He 2018, arXiv:1803.08494
Value norm_over_time(const Scope& s, const Value& x) {
  const Shape channels{x.shape()[2]};
  const Value weight = s.parameter("weight", channels, {Initializer::Kind::kOnes});
  const Value bias = s.parameter("bias", channels, {Initializer::Kind::kZeros});
  const Value wide = convert(x, DType::kFloat32);
  const Value centred = wide - mean(wide, {1}, ReducedAxes::kKeep);
  const Value variance = mean(centred * centred, {1}, ReducedAxes::kKeep);
  return convert(centred * rsqrt(variance + kNormEps) * weight + bias, x.dtype());
}

// The frames of the waveforms, [batch, frames, channels].
Value feature_encoder(const Scope& s, const Wav2Vec2Fields& c, const Value& waveforms) {
  require(waveforms.rank() == 2, "input_values", {&waveforms, 1}, "waveforms [batch, samples]");
  Value x = expand_dims(convert(waveforms, s.options().compute_dtype), -1);
  for (size_t i = 0; i < c.conv_dim.size(); ++i) {
    const Scope layer = s / "conv_layers" / std::to_string(i);  // not one of the layers that Scope counts
    x = convolution_over_time(layer / "conv", x,
                              {.features = c.conv_dim[i],
                               .kernel = c.conv_kernel[i],
                               .stride = c.conv_stride[i],
                               .has_bias = c.conv_bias,
                               .stddev = std::sqrt(2.0 / static_cast<double>(x.shape()[2] * c.conv_kernel[i]))});
    if (c.has_group_norm && i == 0) x = norm_over_time(layer / "layer_norm", x);
    if (!c.has_group_norm) x = layer_norm(layer / "layer_norm", x, kNormEps);
    x = nn::activate(c.feat_extract_activation, x);
  }
  return x;
}

// x where the condition holds, else y; both can be broadcast to the type.
Value where(const TensorType& type, const Value& condition, const Value& x, const Value& y) {
  const auto whole = [&](const Value& part) { return broadcast_to(part, type.shape); };
  return select(whole(condition), convert(whole(x), type.dtype), convert(whole(y), type.dtype));
}

Value is_set(const Value& mask) { return compare(Direction::kNotEqual, mask, full(mask.type(), 0)); }

// The results of the convolutions as the projection reads them: "extract_features" of transformers.
Value normed_frames(const Scope& s, const Wav2Vec2Fields& c, const Wav2Vec2Variant& variant, const AudioInputs& in) {
  const Value frames = feature_encoder(s / "feature_extractor", c, in.input_values);
  return variant.normalizes_frames ? layer_norm(s / "feature_projection" / "layer_norm", frames, c.layer_norm_eps)
                                   : frames;
}

// The projected frames, with the masks of SpecAugment.
Value project(const Scope& s, const Wav2Vec2Fields& c, const Value& normed, const AudioInputs& in) {
  const Scope projection = s / "feature_projection";
  Value x = dropout(projection, linear(projection / "projection", normed, c.hidden_size), c.feat_proj_dropout);
  Value masked;
  if (c.has_masked_spec_embed()) {
    masked = s.parameter("masked_spec_embed", {c.hidden_size}, uniform_between(0, 1));
  }
  if (in.mask_time) {
    require(bool(masked), "mask_time", {&in.mask_time, 1}, "no masks: mask_time_prob of config.json is 0");
    require(in.mask_time.shape() == Shape{x.shape()[0], x.shape()[1]}, "mask_time", {&in.mask_time, 1},
            "a mask [batch, frames] of " + to_string(x.shape()));
    x = where(x.type(), expand_dims(is_set(in.mask_time), -1), masked, x);
  }
  if (in.mask_feature) x = where(x.type(), expand_dims(is_set(in.mask_feature), 1), full({x.dtype(), {}}, 0), x);
  return x;
}

// The filter with the norm g of its weights at each place. source  Salimans and Kingma 2016, arXiv:1602.07868
Value normed_filter(const Scope& s, const Shape& shape, double stddev) {
  const Scope weight = s / "parametrizations" / "weight";
  const Value g = weight.parameter("original0", {1, 1, shape[2]}, {Initializer::Kind::kOnes});
  const Value v = weight.parameter("original1", shape, {Initializer::Kind::kNormal, stddev});
  return v * (g * rsqrt(sum(v * v, {0, 1}, ReducedAxes::kKeep)));
}

// x, and its positions relative to neighbours by a convolution. x [batch, frames, hidden_size]
Value add_positions(const Scope& s, const Wav2Vec2Fields& c, const Value& x) {
  const int64_t kernel = c.num_conv_pos_embeddings, groups = c.num_conv_pos_embedding_groups;
  const Scope conv = s / "conv";
  const double stddev = 2 / std::sqrt(static_cast<double>(kernel * c.hidden_size));
  const Value filter = normed_filter(conv, {c.hidden_size, c.hidden_size / groups, kernel}, stddev);
  const Value bias = conv.parameter("bias", {c.hidden_size}, {Initializer::Kind::kZeros});
  // With an even kernel, transformers computes one frame more and drops it.
  const ConvolutionAxis time{.low = kernel / 2, .high = kernel - 1 - kernel / 2};
  const Value y = convolution(x, convert(filter, x.dtype()), {.axes = {time}, .groups = groups});
  const Value positions = nn::activate(c.feat_extract_activation, convert(y, DType::kFloat32) + bias);
  return convert(convert(x, DType::kFloat32) + positions, x.dtype());
}

Value self_attention(const Scope& s, const Wav2Vec2Fields& c, const Value& x, const Value& mask_bias) {
  const Value attended = nn::self_attention(s, x, mask_bias,
                                            {.heads = c.num_attention_heads,
                                             .head_size = c.hidden_size / c.num_attention_heads,
                                             .dropout = c.attention_dropout,
                                             .query = "q_proj",
                                             .key = "k_proj",
                                             .value = "v_proj"});
  return dropout(s, linear(s / "out_proj", attended, c.hidden_size, nn::rows()), c.hidden_dropout);
}

Value feed_forward(const Scope& s, const Wav2Vec2Fields& c, const Value& x) {
  const Scope inner = s / "intermediate_dense", outer = s / "output_dense";
  const Value expanded = nn::activate(c.hidden_act, linear(inner, x, c.intermediate_size, nn::columns()));
  const Value y = linear(outer, dropout_of_part(inner, expanded, c.activation_dropout), c.hidden_size, nn::rows());
  return dropout(outer, y, c.hidden_dropout);
}

Value encoder_layer(const Scope& s, const Wav2Vec2Fields& c, const Value& x, const Value& mask_bias) {
  const auto norm = [&](const char* name, const Value& y) { return layer_norm(s / name, y, c.layer_norm_eps); };
  const Scope attention = s / "attention", forward = s / "feed_forward";
  if (c.do_stable_layer_norm) {
    const Value h = x + self_attention(attention, c, norm("layer_norm", x), mask_bias);
    const Value y = h + feed_forward(forward, c, norm("final_layer_norm", h));
    return c.adapter_attn_dim ? y + language_adapter(s / "adapter_layer", *c.adapter_attn_dim, y) : y;
  }
  const Value h = norm("layer_norm", x + self_attention(attention, c, x, mask_bias));
  return norm("final_layer_norm", h + feed_forward(forward, c, h));
}

// y, or x with this probability in training. source  Fan et al. 2019, arXiv:1909.11556
Value drop_layer(const Scope& s, const Value& x, const Value& y, double rate) {
  if (!s.options().training || rate == 0) return y;
  const TensorType one{DType::kUInt32, {1}};
  const Value bits = random_bits(full(one, 0), (s / "layerdrop").random_key());
  const Value is_dropped = compare(Direction::kLess, bits, full(one, std::floor(rate * 0x1p32)));
  return where(x.type(), reshape(is_dropped, {1, 1, 1}), x, y);
}

class Wav2Vec2 final : public AudioModel {
 public:
  Wav2Vec2(AudioModelFacts facts, Wav2Vec2Fields c, Wav2Vec2Variant variant)
      : AudioModel(std::move(facts)), c_(std::move(c)), variant_(std::move(variant)) {}

  Values hidden_states(const Scope& root, const AudioInputs& in) const override {
    return states_of(root, normed_frames(body(root), c_, variant_, in), in);
  }

  Value last_hidden_state(const Scope& root, const Value& x) const override {
    const Scope s = body(root);
    const Value y = c_.do_stable_layer_norm ? layer_norm(s / "encoder" / "layer_norm", x, c_.layer_norm_eps) : x;
    return variant_.adapter ? adapter(s / "adapter", *variant_.adapter, y) : y;
  }

  Value class_logits(const Scope& root, const Values& hidden_states, const AudioInputs& in,
                     int64_t num_labels) const override {
    require_no_adapter(facts(), "classification");
    const Value x = states_for_head(root, hidden_states);
    const Value projected = linear(root / "projector", x, c_.classifier_proj_size);
    const Value mask = convert(frame_mask(in, x.shape()), DType::kFloat32);
    const Value sums = sum(convert(projected, DType::kFloat32) * expand_dims(mask, -1), {1});
    const Value pooled = sums / sum(mask, {1}, ReducedAxes::kKeep);
    return logits(root / "classifier", convert(pooled, x.dtype()), num_labels);
  }

  Value ctc_logits(const Scope& root, const Value& x) const override {
    const Value last = dropout(root / "dropout", last_hidden_state(root, x), c_.final_dropout);
    return logits(root / "lm_head", last, c_.vocab_size);
  }

  Value frame_logits(const Scope& root, const Values& hidden_states, int64_t num_labels) const override {
    if (!variant_.has_further_heads) return AudioModel::frame_logits(root, hidden_states, num_labels);
    require_no_adapter(facts(), "classification of frames");
    return logits(root / "classifier", states_for_head(root, hidden_states), num_labels);
  }

  XVectors xvectors(const Scope& root, const Values& hidden_states, const AudioInputs& in,
                    int64_t num_labels) const override {
    if (!variant_.has_further_heads) return AudioModel::xvectors(root, hidden_states, in, num_labels);
    require_no_adapter(facts(), "vectors of speakers");
    const Value frames = in.samples ? frames_of(facts(), in.samples) : Value();
    return xvectors_of(root, c_.xvector, states_for_head(root, hidden_states), frames, num_labels);
  }

  ContrastiveStates contrastive_states(const Scope& root, const AudioInputs& in,
                                       const GumbelChoice& choice) const override {
    if (!variant_.has_further_heads) return AudioModel::contrastive_states(root, in, choice);
    require_no_adapter(facts(), "pretraining");
    const Value frames = normed_frames(body(root), c_, variant_, in);
    Values hidden_states = states_of(root, frames, in);
    const Value x = last_hidden_state(root, hidden_states.back());
    ContrastiveStates states = contrastive_states_of(root, c_.contrastive, frames, x, choice);
    states.hidden_states = std::move(hidden_states);
    return states;
  }

 private:
  Scope body(const Scope& root) const { return root / facts().base_prefix; }

  // frames  normed_frames()
  Values states_of(const Scope& root, const Value& frames, const AudioInputs& in) const {
    const Scope s = body(root), encoder = s / "encoder";
    Value x = project(s, c_, frames, in);
    const Value mask = frame_mask(in, x.shape());
    if (in.samples) x = where(x.type(), expand_dims(is_set(mask), -1), x, full({x.dtype(), {}}, 0));
    x = add_positions(encoder / "pos_conv_embed", c_, x);
    if (!c_.do_stable_layer_norm) x = layer_norm(encoder / "layer_norm", x, c_.layer_norm_eps);
    Values states{dropout(encoder, x, c_.hidden_dropout)};
    const Value mask_bias = nn::attention_bias(mask);
    for (int64_t i = 0; i < c_.num_hidden_layers; ++i) {
      const Scope layer = encoder / "layers" / i;
      const Value y = encoder_layer(layer, c_, states.back(), mask_bias);
      states.push_back(nn::remat(s, states.back(), drop_layer(layer, states.back(), y, c_.layerdrop)));
    }
    return states;
  }

  // The norm is a parameter of the model also where the weighted sum is used in its place.
  Value states_for_head(const Scope& root, const Values& hidden_states) const {
    const Value last = last_hidden_state(root, hidden_states.back());
    return c_.use_weighted_layer_sum ? weighted_sum(root, hidden_states) : last;
  }

  // int32 [batch, frames]: 1 for frames that count, 0 for padding.
  Value frame_mask(const AudioInputs& in, const Shape& x) const {
    const TensorType type{DType::kInt32, {x[0], x[1]}};
    if (!in.samples) return full(type, 1);
    const Value count = broadcast_to(expand_dims(frames_of(facts(), in.samples), -1), type.shape);
    return convert(compare(Direction::kLess, iota(type, 1), count), DType::kInt32);
  }

  Wav2Vec2Fields c_;
  Wav2Vec2Variant variant_;
};

}  // namespace

std::unique_ptr<AudioModel> wav2vec2_family(const ConfigReader& config, const Wav2Vec2Variant& variant) {
  Wav2Vec2Fields c = fields_of(config);
  AudioModelFacts facts = facts_of(config, c, variant);
  return std::make_unique<Wav2Vec2>(std::move(facts), std::move(c), variant);
}

void refuse_layer(const std::string& key, const std::string& given) {
  throw CheckpointError({.where = "config.json, " + key, .given = given, .expected = "a model without these layers"});
}

}  // namespace portatune::models
