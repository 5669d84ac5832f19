#include "portatune/error.h"
#include "portatune/graph/checks.h"
#include "portatune/media_models.h"
#include "portatune/models/architectures.h"
#include "portatune/models/audio/spec_augment_fields.h"
#include "portatune/models/audio/weighted_sum.h"
#include "portatune/models/audio/windows.h"
#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"
#include "portatune/models/seq2seq/bart_family.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

constexpr const char* kEncoder = "encoder";
constexpr const char* kOutput = "proj_out";

// The fields of config.json beside those of BART.
struct WhisperFields {
  int64_t num_mel_bins = 80;
  int64_t max_source_positions = 1500;
  int64_t classifier_proj_size = 256;
  bool use_weighted_layer_sum = false;
  SpeechFacts facts;
};

// mBART with a spectrogram as its source.
class Whisper final : public Bart, public SpeechEncoder {
 public:
  Whisper(const BartConfig& c, WhisperFields fields) : Bart(c), fields_(std::move(fields)) {}

  const SpeechFacts& speech_facts() const override { return fields_.facts; }

  Values encoder_states(const Scope& root, const Value& input_features) const override {
    return states_of(root / "model" / "encoder", input_features);
  }

  Values states_of(const Scope& encoder, const Value& input_features) const {
    const auto [frames, bins] = fields_.facts.spectrogram;
    const Shape expected{input_features.rank() > 0 ? input_features.shape()[0] : 1, bins, frames};
    require(input_features.shape() == expected, "input_features", {&input_features, 1},
            "spectrograms " + to_string(expected) + ", by config.json");
    return encoder_layers(encoder, embed_frames(encoder, input_features));
  }

  Values encoder_states(const Scope&, const TextInputs&) const override {
    throw UsageError({.where = "the source of " + config().class_prefix,
                      .given = "a text",
                      .expected = "the spectrogram of a recording",
                      .fix = "choose a task that reads recordings"});
  }

 private:
  // [batch, max_source_positions, d_model]
  Value embed_frames(const Scope& s, const Value& input_features) const {
    const int64_t width = config().d_model;
    const auto convolve = [&](const char* name, const Value& x, int64_t stride) {
      return nn::activate("gelu", convolution_over_time(
                                      s / name, pad(x, 1, 1, 1),
                                      {.features = width, .kernel = 3, .stride = stride, .stddev = config().init_std}));
    };
    const Value by_frame = convert(transpose(input_features, {0, 2, 1}), s.options().compute_dtype);
    const Value x = convolve("conv2", convolve("conv1", by_frame, 1), SpeechFacts::kFramesOfTime);
    // Checkpoints have the positions. Those of a model without them differ slightly from Whisper's.
    const Value positions =
        (s / "embed_positions")
            .buffer("weight", {fields_.max_source_positions, width}, {nn::Initializer::Kind::kSplitSinusoids});
    return dropout(s, x + convert(positions, x.dtype()), config().dropout);
  }

  WhisperFields fields_;
};

WhisperFields whisper_fields(const ConfigReader& config) {
  // Settings of generation.
  config.ignore({"alignment_heads", "begin_suppress_tokens", "forced_decoder_ids", "is_multilingual",
                 "median_filter_width", "suppress_tokens"});
  WhisperFields fields;
  config.read("classifier_proj_size", fields.classifier_proj_size, kSize);
  config.read("use_weighted_layer_sum", fields.use_weighted_layer_sum);
  config.read("num_mel_bins", fields.num_mel_bins, kSize);
  config.read("max_source_positions", fields.max_source_positions, kSize);
  fields.facts.spectrogram = {.frames = SpeechFacts::kFramesOfTime * fields.max_source_positions,
                              .mel_bins = fields.num_mel_bins};
  const SpecAugment masks = spec_augment_of(config);
  if (config.get_bool_or("apply_spec_augment", false)) fields.facts.spec_augment = masks;
  return fields;
}

AudioModelFacts classifier_facts(const BartConfig& c, const WhisperFields& fields) {
  return {.class_prefix = "Whisper",
          .base_prefix = kEncoder,
          .classification_class = "WhisperForAudioClassification",
          .hidden_size = c.d_model,
          .initializer_range = c.init_std,
          .spectrogram = fields.facts.spectrogram,
          .has_bins_first = true};
}

// The encoder with a head for classes.
class WhisperClassifier final : public AudioModel {
 public:
  WhisperClassifier(const BartConfig& c, const WhisperFields& fields)
      : AudioModel(classifier_facts(c, fields)), body_(c, fields), fields_(fields) {}

  Values hidden_states(const Scope& root, const AudioInputs& in) const override {
    return body_.states_of(root / kEncoder, in.input_values);
  }
  Value last_hidden_state(const Scope&, const Value& x) const override { return x; }
  Value class_logits(const Scope& root, const Values& hidden_states, const AudioInputs&,
                     int64_t num_labels) const override {
    const Value x = fields_.use_weighted_layer_sum ? weighted_sum(root, hidden_states) : hidden_states.back();
    return logits(root / "classifier", mean(linear(root / "projector", x, fields_.classifier_proj_size), {1}),
                  num_labels);
  }

 private:
  const Whisper body_;
  const WhisperFields fields_;
};

Value whisper_lm(const Scope& root, const BartConfig& c, const HeadInputs& in) {
  const LmDecoder lm{"model.decoder.embed_tokens.weight", c.ties_output, c.vocab_size};
  return lm_logits(root, in.x, vocabulary_weight(root / kOutput, c.d_model, lm), lm);
}

BartConfig stacks_of_whisper(const ConfigReader& config) {
  BartConfig c = bart_config(
      config,
      {.class_prefix = "Whisper",
       .norms_inputs = true,
       .norms_embeddings = false,
       .position_offset = 0,
       .vocab_size = 51865,
       .d_model = 384,
       .encoder = {.layers = 4, .ffn_dim = 1536, .attention_heads = 6},
       .decoder = {.layers = 4, .ffn_dim = 1536, .attention_heads = 6},
       .dropout = 0,
       .shares_embeddings = false,
       .key_bias = false,
       .facts = {.pad_token_id = 50256, .eos_token_id = 50256, .decoder_start_token_id = 50257, .max_target = 0}});
  c.max_position_embeddings = 448;
  config.read("max_target_positions", c.max_position_embeddings, kSize);
  config.read("tie_word_embeddings", c.ties_output);
  c.facts.max_target = c.max_position_embeddings;
  c.scale_embedding = false;  // transformers reads the field and does not use it
  return c;
}

// Throws unless the config is that of a whole model, or of a decoder alone.
void require_encoder(const BartConfig& c, bool has_encoder) {
  if (c.has_encoder == has_encoder) return;
  throw CheckpointError({.where = "config.json, is_encoder_decoder",
                         .given = c.has_encoder ? "true: a model that reads recordings" : "false: a decoder alone",
                         .expected = c.has_encoder ? "a model that reads texts, such as the decoder of Whisper alone"
                                                   : "a model with an encoder",
                         .fix = "choose another task, or another checkpoint"});
}

}  // namespace

std::unique_ptr<AudioModel> whisper_classifier(const io::JsonObject& object) {
  const ConfigReader config(object);
  const WhisperFields fields = whisper_fields(config);
  return std::make_unique<WhisperClassifier>(stacks_of_whisper(config), fields);
}

std::unique_ptr<TextModel> whisper(const io::JsonObject& object) {
  const ConfigReader config(object);
  const WhisperFields fields = whisper_fields(config);
  const BartConfig c = stacks_of_whisper(config);
  require_encoder(c, true);
  TextModelFacts facts = bart_facts(c);
  facts.max_length = fields.max_source_positions;
  return std::make_unique<TextModel>(std::move(facts), std::make_unique<Whisper>(c, fields),
                                     Heads{{HeadKind::kSeq2SeqLM, head_of(c, whisper_lm)}});
}

std::unique_ptr<TextModel> whisper_decoder(const io::JsonObject& object) {
  const ConfigReader config(object);
  whisper_fields(config);
  const BartConfig c = stacks_of_whisper(config);
  require_encoder(c, false);
  return bart_decoder(c, kOutput);
}

const SpeechEncoder& speech_encoder(const TextModel& model) {
  if (const auto* encoder = dynamic_cast<const SpeechEncoder*>(&model.body())) return *encoder;
  throw UsageError({.where = "model",
                    .given = name_of_checkpoint(model.facts()),
                    .expected = "an encoder-decoder model of speech such as Whisper"});
}

EncodedSource encoded_speech(const Values& states) {
  const Shape& shape = states.back().shape();
  return {.x = states.back(), .attention_mask = full({DType::kInt32, {shape[0], shape[1]}}, 1)};
}

}  // namespace portatune::models
