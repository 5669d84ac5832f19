// Models that write what is said in a recording: config.json in, a graph out.
#pragma once

#include <memory>
#include <optional>

#include "portatune/audio_models.h"
#include "portatune/json_object.h"
#include "portatune/models.h"

namespace portatune::models {

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

/// True if speech_model() has the architecture of a config.json.
bool is_speech_model(const io::JsonObject& config);
/// The model of a checkpoint's config.json, whose head HeadKind::kSeq2SeqLM writes texts.
/// errors  CheckpointError for an unknown architecture, for an unusable value, and for another kind of model
std::unique_ptr<TextModel> speech_model(const io::JsonObject& config);

}  // namespace portatune::models
