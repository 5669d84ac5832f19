#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/tasks/audio_task.h"
#include "portatune/tasks/speech_seq2seq.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

std::unique_ptr<RowTask> make_speech_seq2seq(const TaskContext& context, const SpeechSeq2SeqOptions& options) {
  return speech_seq2seq(context.model, options);
}

std::vector<data::Example> rows_of_speech_seq2seq(const RowTask& task, const SpeechSeq2SeqOptions& options) {
  data::Example row = tasks::sample_row(task);
  return {row.set(options.audio_column, audio::silent_wav_file())};
}

}  // namespace

std::optional<Temperature> OptionType<Temperature>::read(const std::string& text) {
  const auto number = number_in<double>(text);
  if (!number || !(*number >= 0 && *number <= Temperature::kHighest)) return std::nullopt;
  return Temperature(*number);
}

std::string OptionType<Temperature>::text(const Temperature& temperature) { return to_text(temperature); }

void SpeechSeq2SeqOptions::describe(OptionFields& fields) {
  describe_text_column(fields, text_column);
  describe_label_smoothing(fields, label_smoothing);
  describe_metrics(fields, metrics);
  describe_audio_column(fields, audio_column);
  fields("language", language, "of the recordings: hi, Hindi",
         {.default_help = "that of the model, or detected", .kept = true});
  fields("generation_task", generation_task, "transcribe, or translate to English",
         {.default_help = "that of the model", .kept = true});
  fields("max_duration_seconds", max_duration_seconds, "longer recordings are refused",
         {.lowest = 0.001,
          .highest = 3600,
          .other_names = "max_duration_in_seconds",
          .default_help = "what the model hears"});
  fields("max_target_length", max_target_length, "tokens of a target; longer ones are cut",
         {.lowest = 1, .default_help = "225", .kept = true});
  fields("predict_with_generate", predict_with_generate, "evaluations generate texts and score them",
         {.use = OptionUse::kLabels, .kept = true});
  fields("generation_max_length", generation_max_length, "tokens of a generated text",
         {.lowest = 1, .default_help = "--max-target-length", .kept = true});
  fields("return_timestamps", return_timestamps,
         "say when each part of a text begins and ends; needed above 30 seconds", {});
  fields("prompt", prompt, "text before that of a recording, with names and spellings to use", {.placeholder = "TEXT"});
  fields("condition_on_prev_tokens", condition_on_prev_tokens,
         "earlier texts of a long recording come before the next 30 seconds",
         {.other_names = "condition_on_previous_text", .default_help = "that of the model"});
  fields("prompt_condition_type", prompt_condition_type,
         "windows before whose text the prompt comes, with condition_on_prev_tokens", {});
  fields("num_beams", num_beams, "beams of a generated text",
         {.lowest = 1, .default_help = "of the model", .kept = true});
  fields("temperature", temperature, "of generated texts; after 0 others for texts that the thresholds refuse",
         {.placeholder = "T,T,...", .kept = true});
  fields("compression_ratio_threshold", compression_ratio_threshold, "refuses texts that zlib compresses better",
         {.lowest = kAboveZero, .kept = true});
  fields("logprob_threshold", logprob_threshold, "refuses texts of a lower mean log-probability",
         {.lowest = -1000, .highest = 0, .kept = true});
  fields("no_speech_threshold", no_speech_threshold,
         "texts that --logprob-threshold refuses are empty if silence is more probable", {.highest = 1, .kept = true});
  fields("sampling_seed", sampling_seed, "of texts at temperatures above 0", {.highest = 1.8e19, .kept = true});
}

const TaskSpec& speech_seq2seq_spec() {
  static const TaskSpec kSpec = task_spec<SpeechSeq2SeqOptions>(
      {.name = "speech-seq2seq",
       .classes = {"WhisperForConditionalGeneration"},
       .run_options = {RunOption::kWeightColumn},
       .prediction_options = {"return_timestamps", "prompt", "condition_on_prev_tokens", "prompt_condition_type"},
       .pipeline = "automatic-speech-recognition",
       .make = make_speech_seq2seq,
       .sample_rows = rows_of_speech_seq2seq});
  return kSpec;
}

}  // namespace portatune
