// Models of sounds, of speech, and of colours for grey pictures: config.json in, a graph out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/json_object.h"
#include "portatune/models.h"
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

/// The head for speaker recognition: a vector of each recording.
struct XVectorFacts {
  std::string class_name;  ///< "Wav2Vec2ForXVector"
  int64_t min_frames;      ///< of a recording
};

/// The head for pretraining on recordings without labels, and its loss: each masked frame is distinguished from others
/// of its recording. Frames are quantized: each group of codevectors gives one to a frame.
struct ContrastiveFacts {
  std::string class_name;        ///< "Wav2Vec2ForPreTraining"
  int64_t groups, codevectors;   ///< number of groups, and of codevectors in each
  int64_t negatives;             ///< number of other frames from which a frame is distinguished
  double temperature;            ///< divisor of the similarities
  double diversity_loss_weight;  ///< of the loss that demands the use of all codevectors
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
  /// Strides of the convolutions of an adapter between the encoder and the head of CTC; empty: there is none.
  std::vector<int64_t> adapter_strides = {};
  /// False if checkpoints of this kind were trained without masks of padding: preprocessor_config.json then has
  /// "return_attention_mask": false, and AudioInputs::samples should be absent.
  bool masks_padding = false;
  /// Part of the names of the convolutions' parameters, for ContextOptions::frozen; empty for spectrograms.
  std::string feature_encoder = {};
  std::optional<SpecAugment> spec_augment = {};
  std::optional<CtcFacts> ctc = {};
  std::optional<XVectorFacts> xvector = {};          ///< absent: transformers has no such class for the model
  std::optional<ContrastiveFacts> contrastive = {};  ///< likewise

  /// Number of frames of a waveform; 0 if it is too short for one frame.
  int64_t frames(int64_t samples) const;
  /// Number of frames behind the adapter, for which the head of CTC has logits.
  ///   frames  frames of the encoder: frames()
  int64_t head_frames(int64_t frames) const;
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

/// The results of the head of XVectorFacts, float32.
struct XVectors {
  Value embeddings;  ///< [batch, xvector_output_dim]
  Value logits;      ///< a linear layer of the embeddings, "logits" of transformers: [batch, xvector_output_dim]
  Value cosines;     ///< of the logits and the vector of each speaker, for am_softmax_logits(): [batch, num_labels]
};

/// How codevectors are chosen. Without noise: the most probable ones, without a gradient.
/// source  Jang et al. 2016, arXiv:1611.01144
struct GumbelChoice {
  Value noise = {};        ///< float32 [batch, frames, groups, codevectors], of the Gumbel distribution
  Value temperature = {};  ///< a float32 scalar, if there is noise
};
/// The results of the head of ContrastiveFacts.
struct ContrastiveStates {
  Value projected_states;            ///< float32 [batch, frames, proj_codevector_dim]
  Value projected_quantized_states;  ///< likewise; of all frames as if none was masked
  Value codes;                       ///< int32 [batch, frames, groups]: the codevector in each group
  Value probabilities;               ///< float32 [batch, frames, groups, codevectors]; 0 and 1 without noise
  Values hidden_states = {};         ///< AudioModel::hidden_states() of the same inputs
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
  /// "last_hidden_state" of transformers, behind the adapter.
  virtual Value last_hidden_state(const nn::Scope& root, const Value& x) const = 0;
  /// "pooler_output" of the bare model, [batch, hidden_size]; absent if it has none.
  virtual Value pooler_output(const nn::Scope& root, const Value& x) const;
  /// Logits of AudioModelFacts::classification_class, float32 [batch, num_labels].
  ///   hidden_states  result of hidden_states() for the same inputs
  virtual Value class_logits(const nn::Scope& root, const Values& hidden_states, const AudioInputs& in,
                             int64_t num_labels) const = 0;
  /// Logits of ...ForCTC, float32 [batch, head_frames, vocab_size], where head_frames is AudioModelFacts::head_frames()
  /// of the frames of x.
  /// errors  UsageError if transformers has no such class for the model
  virtual Value ctc_logits(const nn::Scope& root, const Value& x) const;
  /// Logits of ...ForAudioFrameClassification, float32 [batch, frames, num_labels].
  /// hidden_states, errors  as above
  virtual Value frame_logits(const nn::Scope& root, const Values& hidden_states, int64_t num_labels) const;
  /// Results of ...ForXVector.
  /// hidden_states, errors  as above
  virtual XVectors xvectors(const nn::Scope& root, const Values& hidden_states, const AudioInputs& in,
                            int64_t num_labels) const;
  /// Results of the head of ContrastiveFacts.
  /// errors  those of hidden_states(); UsageError if transformers has no such class for the model
  virtual ContrastiveStates contrastive_states(const nn::Scope& root, const AudioInputs& in,
                                               const GumbelChoice& choice) const;

 private:
  AudioModelFacts facts_;
};

/// AudioModelFacts::frames() of each row, but at least 1.
/// samples, result  int32 [batch]
Value frames_of(const AudioModelFacts& facts, const Value& samples);
/// AudioModelFacts::head_frames() of each row, int32 [batch]: of its samples, or else of all frames.
Value head_frames_of(const AudioModelFacts& facts, const AudioInputs& in);

/// True if a config.json belongs to an audio model that is no speech model; false for an unknown architecture.
bool is_audio_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json. Of a speech model it is the encoder with a head for classes.
/// errors  CheckpointError for an unknown architecture, for an unusable value, and for a model of texts or images
std::unique_ptr<AudioModel> audio_model(const io::JsonObject& config);

/// Metadata of a speech checkpoint, beside those of TextModel and Seq2Seq.
struct SpeechFacts {
  /// Frames of a spectrogram for each position of the encoder, which is the smallest difference of times in a text.
  static constexpr int64_t kFramesOfTime = 2;
  SpectrogramSize spectrogram;                   ///< the only size that the model accepts
  std::optional<SpecAugment> spec_augment = {};  ///< masks of the spectrograms in training, which the task draws
};

/// The encoder of an encoder-decoder model whose sources are recordings, a second base of its body. The
/// encoder_states() of texts throw a UsageError.
class SpeechEncoder {
 public:
  virtual ~SpeechEncoder() = default;

  virtual const SpeechFacts& speech_facts() const = 0;
  /// Outputs of the embeddings and of each layer, [batch, source, hidden_size] each: "encoder_hidden_states" of
  /// transformers.
  ///   input_features  float32 [batch, mel bins, frames]
  ///   errors          ShapeError for spectrograms of another size
  virtual Values encoder_states(const nn::Scope& root, const Value& input_features) const = 0;
};

/// The encoder of a model of speech.
/// errors  UsageError for another model
const SpeechEncoder& speech_encoder(const TextModel& model);

/// A recording, of which the decoder sees everything.
/// states  SpeechEncoder::encoder_states()
EncodedSource encoded_speech(const Values& states);

/// True if speech_model() has the architecture of a config.json; false for a decoder alone, which is a text model.
bool is_speech_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json, whose head HeadKind::kSeq2SeqLM writes texts.
/// errors  CheckpointError for an unknown architecture, for an unusable value, and for another kind of model
std::unique_ptr<TextModel> speech_model(const io::JsonObject& config);

/// The three models that colour a picture one after the other.
enum class ColorStage {
  kColorizer,        ///< coarse colours for a small grey picture
  kColorUpsampler,   ///< fine colours for a small picture of coarse ones
  kSpatialUpsampler  ///< the large picture for a small one
};

/// Metadata of a checkpoint.
struct ColorModelFacts {
  ColorStage stage;
  std::string class_name;  ///< its class in "architectures" of config.json: "ColTranColorizer"
  int64_t small_side;      ///< side of a small picture in pixels: downsample_res of config.json
  int64_t large_side;      ///< side of a large picture: resolution of config.json
  /// Weights of the two losses of a colorizer.
  double loss_factor = 1, parallel_loss_factor = 0;

  /// The side of the pictures that the model makes.
  int64_t side() const { return stage == ColorStage::kSpatialUpsampler ? large_side : small_side; }
};

/// Number of values of a channel in coarse colours.
inline constexpr int64_t kCoarseLevels = 8;
/// Number of coarse colours.
inline constexpr int64_t kCoarseColors = kCoarseLevels * kCoarseLevels * kCoarseLevels;
/// Number of values of a byte.
inline constexpr int64_t kByteLevels = 256;

/// A model that colours pictures.
///   gray  int32 [batch, side, side], 0 to 255
class ColorModel {
 public:
  explicit ColorModel(ColorModelFacts facts) : facts_(std::move(facts)) {}
  virtual ~ColorModel() = default;

  const ColorModelFacts& facts() const { return facts_; }

 private:
  ColorModelFacts facts_;
};

/// Logits of coarse colours, float32 [batch, side, side, 512].
struct ColorLogits {
  Value autoregressive;  ///< of each pixel, given the grey picture and the colours of the pixels before it
  Value parallel;        ///< of each pixel, given the grey picture alone; absent if the model has no such head
};

/// Chooses a colour for each picture: int32 [batch].
///   logits  float32 [batch, 512]
///   pixel   an int32 scalar, the index of the pixel in the order of reading
using ChooseColor = std::function<Value(const Value& logits, const Value& pixel)>;

/// Coarse colours, pixel by pixel in the order of reading.
class Colorizer : public ColorModel {
 public:
  using ColorModel::ColorModel;

  /// colors  int32 [batch, side, side]: 64 red + 8 green + blue, each from 0 to 7
  virtual ColorLogits logits(const nn::Scope& root, const Value& gray, const Value& colors) const = 0;
  /// Colours all pixels, one after the other: int32 [batch, side, side].
  virtual Value colors(const nn::Scope& root, const Value& gray, const ChooseColor& choose) const = 0;
};

/// Fine values of channels, all at once.
class ColorUpsampler : public ColorModel {
 public:
  using ColorModel::ColorModel;

  /// Number of values of a channel of the picture that the model reads: 8 or 256.
  virtual int64_t levels() const = 0;
  /// Logits of the values of bytes, float32 [batch, channels, side, side, 256].
  ///   channels  int32 [batch, channels, side, side]: the value of a channel + levels() * its index (red 0, green 1,
  ///             blue 2)
  virtual Value logits(const nn::Scope& root, const Value& gray, const Value& channels) const = 0;
};

/// True if a config.json belongs to a model that colours pictures; false for an unknown architecture.
bool is_color_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json.
/// errors  CheckpointError for an unknown architecture or class, and for an unusable value
std::unique_ptr<ColorModel> color_model(const io::JsonObject& config);

}  // namespace portatune::models
