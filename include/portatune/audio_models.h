// Models of speech and other sounds: config.json in, a graph out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/nn.h"

namespace portatune::models {

/// Size of a spectrogram.
struct SpectrogramSize {
  int64_t frames, mel_bins;
};

/// Kernel and stride of a convolution over time, without padding.
struct ConvolutionOverTime {
  int64_t kernel, stride;
};

/// Spans that SpecAugment masks along one axis, as transformers draws them.
struct MaskedSpans {
  double prob = 0;  ///< share of the axis in spans, if they did not overlap; 0: no spans
  int64_t length = 10;
  int64_t min_masks = 0;  ///< minimal number of spans
};
/// SpecAugment of a model in training. The task draws the masks and passes them in AudioInputs.
/// source  Park et al. 2019, arXiv:1904.08779
struct SpecAugment {
  MaskedSpans time, feature;
};

/// The head and the loss of connectionist temporal classification (CTC).
struct CtcFacts {
  int64_t vocab_size;
  int64_t blank_id;            ///< pad_token_id of config.json
  bool is_mean = false;        ///< "mean": each loss is divided by the number of its labels; otherwise their sum
  bool zero_infinity = false;  ///< rows without an alignment have a loss of 0, without a gradient
};

/// Metadata of an audio checkpoint that do not depend on its head.
struct AudioModelFacts {
  std::string class_prefix;          ///< prefix of the names of its classes in transformers: "Wav2Vec2"
  std::string base_prefix;           ///< prefix of the body's keys in a checkpoint that has a head: "wav2vec2"
  std::string classification_class;  ///< "Wav2Vec2ForSequenceClassification", "ASTForAudioClassification"
  int64_t hidden_size;
  double initializer_range;
  /// The only size that the model accepts; absent: the model reads waveforms.
  std::optional<SpectrogramSize> spectrogram = {};
  bool has_bins_first = false;  ///< spectrograms are [mel bins, frames], else [frames, mel bins]
  /// The convolutions that turn samples into frames; empty for spectrograms.
  std::vector<ConvolutionOverTime> convolutions = {};
  /// False if checkpoints of this kind were trained without masks of padding: preprocessor_config.json then has
  /// "return_attention_mask": false, and AudioInputs::samples should be absent.
  bool masks_padding = false;
  /// Part of the names of the convolutions' parameters, for ContextOptions::frozen; empty for spectrograms.
  std::string feature_encoder = {};
  std::optional<SpecAugment> spec_augment = {};
  std::optional<CtcFacts> ctc = {};

  /// Number of frames of a waveform; 0 if it is too short for one frame.
  int64_t frames(int64_t samples) const;
  /// Minimal number of samples of a waveform with this number of frames, which is at least 1.
  int64_t samples(int64_t frames) const;
};

/// The inputs of an audio model.
struct AudioInputs {
  /// float32 [batch, samples], with zeros behind shorter waveforms; or [batch, frames, mel bins], a spectrogram, whose
  /// axes are in the order of AudioModelFacts::has_bins_first.
  Value input_values;
  /// int32 [batch]: number of samples of each waveform without padding. Frames of padding are then hidden, as
  /// transformers does with an attention_mask. Absent: nothing is hidden, as transformers does without attention_mask.
  Value samples = {};
  Value mask_time = {};     ///< int32 [batch, frames]: 1 for frames that SpecAugment masks; absent: none
  Value mask_feature = {};  ///< int32 [batch, hidden_size]: 1 for features that SpecAugment masks; absent: none
};

/// A pretrained model of sounds, the counterpart of ImageModel.
///   root  the scope of a checkpoint that has a head
///   x     the last of hidden_states(), [batch, frames, hidden_size]
class AudioModel {
 public:
  explicit AudioModel(AudioModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~AudioModel() = default;

  const AudioModelFacts& facts() const { return facts_; }

  /// Outputs of the embeddings and of each layer, [batch, frames, hidden_size] each: "hidden_states" of transformers.
  /// errors  ShapeError for inputs of another size
  virtual Values hidden_states(const nn::Scope& root, const AudioInputs& in) const = 0;
  /// "last_hidden_state" of transformers.
  virtual Value last_hidden_state(const nn::Scope& root, const Value& x) const = 0;
  /// "pooler_output" of the bare model, [batch, hidden_size]; absent if it has none.
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const;
  /// Logits of AudioModelFacts::classification_class, float32 [batch, num_labels].
  ///   hidden_states  result of hidden_states() for the same inputs
  virtual Value class_logits(const nn::Scope& root, const Values& hidden_states, const AudioInputs& in,
                             int64_t num_labels) const = 0;
  /// Logits of ...ForCTC, float32 [batch, frames, vocab_size].
  /// errors  UsageError if transformers has no such class for the model
  virtual Value ctc_logits(const nn::Scope& root, const Value& x) const;

 private:
  AudioModelFacts facts_;
};

/// AudioModelFacts::frames() of each row, but at least 1.
/// samples, result  int32 [batch]
Value frames_of(const AudioModelFacts& facts, const Value& samples);

/// True if a config.json belongs to an audio model that is no speech model; false for an unknown architecture.
bool is_audio_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json. Of a speech model it is the encoder with a head for classes.
/// errors  CheckpointError for an unknown architecture, for an unusable value, and for a model of texts or images
std::unique_ptr<AudioModel> audio_model(const io::JsonObject& config);

}  // namespace portatune::models
