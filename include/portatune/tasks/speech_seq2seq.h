// Transcription and translation of speech with encoder-decoder models such as Whisper.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/option_fields.h"
#include "portatune/tasks.h"

namespace portatune {

struct TaskSpec;

/// A temperature of generated texts: 0 takes the most probable tokens or beams, others sample.
struct Temperature {
  static constexpr double kHighest = 100;

  constexpr Temperature(double value) : value(value) {}  // implicit: options are set to numbers
  constexpr operator double() const { return value; }

  double value;
};
template <>
struct OptionType<Temperature> : OptionTypeOf<Temperature, OptionKind::kText> {
  static std::string expected() { return "numbers from 0 to 100, separated by commas"; }
  static std::optional<Temperature> read(const std::string& text);
  static std::string text(const Temperature& temperature);
};

/// The windows of a recording that have SpeechSeq2SeqOptions::prompt before their text, beside earlier texts.
enum class PromptCondition {
  kFirstSegment,  ///< the first one; later on the prompt is the first of the earlier texts
  kAllSegments
};

/// The names of these values.
constexpr auto names_of(PromptCondition) {
  return std::to_array<NamedValue<PromptCondition>>(
      {{PromptCondition::kFirstSegment, "first-segment"}, {PromptCondition::kAllSegments, "all-segments"}});
}

/// The names are those of transformers' run_speech_recognition_seq2seq.py, and of generate() of its Whisper.
struct SpeechSeq2SeqOptions {
  std::string audio_column = "audio";  ///< column of file paths, or of the files' bytes
  std::string text_column = "text";    ///< column of transcriptions
  std::string language;                ///< of the recordings: "hi" or "Hindi"; empty: that of generation_config.json
  std::string generation_task;  ///< "transcribe", or "translate" to English; empty: that of generation_config.json
  /// Longer recordings are refused. None: what the model hears, or an hour for predictions with return_timestamps.
  std::optional<double> max_duration_seconds;
  /// Maximal number of tokens of a text, special ones included; longer texts are cut. None: 225, or the positions of
  /// the decoder if these are fewer.
  std::optional<int64_t> max_target_length;
  double label_smoothing = 0;                    ///< share of a target that all tokens get alike, in training
  bool predict_with_generate = false;            ///< evaluations also generate texts and compare them with the rows'
  std::optional<int64_t> generation_max_length;  ///< maximal number of new tokens; none: max_target_length
  std::optional<int64_t> num_beams;              ///< beams of a generated text; none: those of the model folder
  std::vector<Temperature> temperature = {0};    ///< the next one is tried if the thresholds refuse a text
  /// Refuses a text whose tokens zlib makes smaller than by this factor, as it repeats itself.
  std::optional<double> compression_ratio_threshold;
  std::optional<double> logprob_threshold;    ///< refuses a text whose tokens have a lower mean log-probability
  std::optional<double> no_speech_threshold;  ///< such a text is empty if silence is more probable than this
  uint64_t sampling_seed = 42;                ///< of the texts at temperatures above 0
  bool return_timestamps = false;             ///< predictions have the parts of texts with their times
  /// Text before that of each prediction, with names and spellings to use: prompt_ids of generate(); empty: none.
  std::string prompt = {};
  /// The texts of earlier windows of a recording come before that of the next one, as condition_on_prev_tokens of
  /// generate(). None: as generation_config.json says for recordings of several windows.
  std::optional<bool> condition_on_prev_tokens;
  PromptCondition prompt_condition_type = PromptCondition::kFirstSegment;
  std::vector<std::string> metrics;  ///< scores of generated texts, by name; empty: "wer" and "cer"

  void describe(OptionFields& fields);
};

/// The task of writing what is said, with a Hugging Face folder of a speech model, its preprocessor_config.json, its
/// tokenizer and its generation_config.json. A row has one recording: the path of a file, or the bytes of a WAV, AIFF,
/// FLAC, Ogg or MP3 file. Batches have float32 "input_features" [batch, mel bins, frames] and int32 "labels" [batch,
/// max_target_length], which are -100 in padding. Batches of Labels::kIgnored have no labels: their texts are
/// generated. Metrics: "perplexity" and "accuracy" of the target tokens and, with predict_with_generate, those of the
/// generated texts. A line of predictions is {"audio": path, "text": the generated text}; with return_timestamps also
/// "segments": [{"start": seconds, "end": seconds, "text": a part}], and recordings may be longer than what the model
/// hears at a time. Without a language, predictions detect it. Temperatures and thresholds are those of generate() of
/// WhisperForConditionalGeneration; they apply to all generated texts.
/// errors  CheckpointError, NotFoundError for a faulty folder and for a feature extractor that does not fit the model;
///         UsageError for a language or a task that the model lacks, for lengths that it does not have, and for
///         temperatures and thresholds without effect
std::unique_ptr<RowTask> speech_seq2seq(const ModelSource& model, SpeechSeq2SeqOptions options);

/// The task "speech-seq2seq".
const TaskSpec& speech_seq2seq_spec();

}  // namespace portatune
