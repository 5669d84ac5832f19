#include "portatune/tasks/speech_seq2seq.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/files/output_file.h"
#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/generate/options.h"
#include "portatune/generate/speech/first_tokens.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/media.h"
#include "portatune/media_models.h"
#include "portatune/ops.h"
#include "portatune/tasks/file_task.h"
#include "portatune/tasks/files/speech_windows.h"
#include "portatune/tasks/files/transcribed_files.h"
#include "portatune/tasks/files/whisper_features.h"
#include "portatune/tasks/metrics/generated_texts.h"
#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/metrics/transcriptions.h"
#include "portatune/tasks/objectives/generated_outputs.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/objectives/token_slices.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/rows/source_target.h"
#include "portatune/tasks/rows/spec_augment.h"
#include "portatune/tasks/text_folder.h"
#include "portatune/text.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInputFeatures = "input_features";
constexpr const char* kTextLabels = "labels";
constexpr const char* kAudio = "audio";
constexpr const char* kGenerationConfig = "generation_config.json";
constexpr int64_t kMaxConfigBytes = 10 << 20;
constexpr int64_t kDefaultTargetLength = 225;
constexpr double kLongestSeconds = 3600;  // of recordings that are heard window by window

// The random choices of a recording in training.
enum SpeechDraw : uint64_t { kTimeMask, kFeatureMask };

audio::ExtractorConfig extractor_of(const fs::path& folder, const io::JsonObject& config,
                                    const models::SpeechFacts& facts) {
  const fs::path file = audio::ExtractorConfig::file_in(folder);
  const auto extractor = audio::ExtractorConfig::read(file, config.get_string("model_type"));
  tasks::require_whisper_features(extractor, facts.spectrogram, file.string());
  return extractor;
}

io::JsonObject settings_of_generation(const fs::path& folder) {
  const fs::path file = folder / kGenerationConfig;
  return fs::exists(file) ? io::JsonObject::read(file) : io::JsonObject::parse("{}", file.string());
}

// The ids of the text with the ids of the prompt behind the first one, which decoder_input_ids() adds, and the end.
std::vector<int32_t> label_ids(const std::vector<int32_t>& prompt, std::vector<int32_t> text, int32_t end,
                               int64_t max_length) {
  std::vector<int32_t> ids(prompt.begin() + 1, prompt.end());
  const int64_t room = max_length - 1 - std::ssize(ids);
  text.resize(static_cast<size_t>(std::min<int64_t>(std::ssize(text), room)));
  ids.insert(ids.end(), text.begin(), text.end());
  ids.push_back(end);
  return ids;
}

// Sets the masked rows or columns of a spectrogram [mel bins, frames] to 0.
void mask_spectrogram(Tensor& features, const models::SpecAugment& masks, uint64_t key) {
  const int64_t bins = features.shape()[0], frames = features.shape()[1];
  const auto drawn = [&](const models::MaskedSpans& spans, int64_t size, SpeechDraw draw) {
    return tasks::masked_spans(spans, size, size, split_mix_64(key, draw));
  };
  const Tensor times = drawn(masks.time, frames, kTimeMask), bands = drawn(masks.feature, bins, kFeatureMask);
  const auto is_masked_time = times.as<int32_t>(), is_masked_band = bands.as<int32_t>();
  const std::span<float> values = features.as<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t band = i / static_cast<size_t>(frames), time = i % static_cast<size_t>(frames);
    if (is_masked_time[time] != 0 || is_masked_band[band] != 0) values[i] = 0;
  }
}

class SpeechLines final : public PredictionLines {
 public:
  // timed  how texts have times; none: they have no times
  SpeechLines(const text::Tokenizer& tokenizer, int32_t pad_id, std::optional<tasks::TimedSpeech> timed)
      : tokenizer_(tokenizer), pad_id_(pad_id), timed_(std::move(timed)) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    if (!outputs.has(tasks::kGeneratedTokens)) return tasks::LanguageModelLines().take(batch, outputs);
    if (outputs.has(tasks::kWindowBegins)) return tasks::timed_lines(batch, outputs, tokenizer_, *timed_);
    std::vector<std::string> texts;
    for (auto& generated : tasks::generated_texts(outputs.tensor(tasks::kGeneratedTokens), tokenizer_, pad_id_)) {
      texts.push_back(std::move(generated.text));
    }
    return tasks::transcription_lines(batch, texts);
  }

 private:
  const text::Tokenizer& tokenizer_;
  const int32_t pad_id_;
  const std::optional<tasks::TimedSpeech> timed_;
};

class SpeechSeq2Seq final : public FileTask {
 public:
  SpeechSeq2Seq(const ModelSource& model, SpeechSeq2SeqOptions options)
      : FileTask(model, options.audio_column, tasks::kAudioFile, "recordings"),
        options_(std::move(options)),
        model_(models::speech_model(config())),
        encoder_(models::speech_encoder(*model_)),
        body_(*model_->seq2seq()),
        extractor_(extractor_of(hub::folder_of_settings(model.folder), config(), encoder_.speech_facts())),
        tokenizer_(text::Tokenizer::load(hub::folder_of_settings(model.folder))),
        generation_(generation_of(model.folder)),
        settings_(settings_of_generation(hub::folder_of_settings(model.folder))),
        prompt_(prompt(false)),
        prediction_prompt_(prompt_of_predictions()),
        times_(times()),
        history_(history()),
        attempts_(attempts()),
        no_speech_(attempts_.thresholds.no_speech ? std::optional(generate::no_speech_token(settings_)) : std::nullopt),
        max_target_length_(
            options_.max_target_length.value_or(std::min(kDefaultTargetLength, body_.facts().max_target))),
        max_seconds_(options_.max_duration_seconds.value_or(times_ ? kLongestSeconds : seconds_heard())),
        metrics_(options_.metrics.empty() ? std::vector<std::string>{"wer", "cer"} : options_.metrics) {
    tasks::require_embeddings(model.folder, "a tokenizer", tokenizer_.vocab_size(), model_->written_vocab_size());
    require_lengths();
    generate::check(generation_, model_->written_vocab_size());
    static_cast<void>(metrics());  // refuses unknown names before any row is read
  }

  std::vector<std::string> columns(Labels labels) const override {
    if (labels == Labels::kIgnored) return {file_column()};
    return {file_column(), options_.text_column};
  }
  data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const override {
    if (labels == Labels::kRequired) require_language();
    const std::string text_column = labels == Labels::kRequired ? options_.text_column : "";
    return tasks::read_transcribed_files(files, file_column(), text_column, std::move(table));
  }
  std::optional<int64_t> cut_texts(const data::Example& row) const override {
    const int64_t tokens = std::ssize(prompt_.tokens) + std::ssize(text_ids(row.text(options_.text_column)));
    return tokens > max_target_length_ ? 1 : 0;
  }
  std::map<std::string, std::string> settings() const override;
  bool has_mean_predictions() const override { return false; }
  std::string score_of_best_model() const override {
    const bool is_reported = std::ranges::find(metrics_, "wer") != metrics_.end();
    return options_.predict_with_generate && is_reported ? "wer" : "";
  }

  std::vector<std::string> inputs() const override { return {kInputFeatures, std::string(data::kExampleWeight)}; }
  std::vector<std::string> optional_inputs() const override {
    return {kTextLabels,         tasks::kSpeechFrames,  tasks::kSpeechLanguages, tasks::kSpeechTemperatures,
            tasks::kSpeechDraws, tasks::kPreviousSpeech};
  }
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::optional<data::Example> outputs_of_all_passes(const data::Example& batch, const data::Example& outputs,
                                                     const RunBatch& run) const override {
    if (!outputs.has(tasks::kSpeechFrames)) return std::nullopt;
    const bool is_prediction = outputs.has(tasks::kWindowBegins) || !batch.has(kTextLabels);
    return tasks::heard_windows(batch, outputs, run, kInputFeatures, timed_speech(is_prediction), attempts_);
  }
  std::unique_ptr<Metrics> metrics() const override {
    return std::make_unique<tasks::TextToTextMetrics>(tokenizer_, pad_id(), metrics_, false);
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  double initializer_range() const override { return model_->facts().initializer_range; }
  void save(const fs::path& folder) const override;

 private:
  int32_t start_token() const {
    return generation_.decoder_start_token_id.value_or(static_cast<int32_t>(body_.facts().decoder_start_token_id));
  }
  // The padding of generated texts.
  int32_t pad_id() const { return generation_.pad_token_id.value_or(static_cast<int32_t>(body_.facts().pad_token_id)); }

  generate::SpeechPrompt prompt(bool has_times) const {
    return generate::speech_prompt(settings_, start_token(), {options_.language, options_.generation_task, has_times});
  }
  generate::SpeechPrompt prompt_of_predictions() const {
    generate::SpeechPrompt all = prompt(options_.return_timestamps);
    if (options_.prompt.empty()) return all;
    all.previous = generate::previous_text(std::string(tasks::stripped(options_.prompt)), tokenizer_);
    return all;
  }
  std::optional<TimeTokens> times() const {
    if (!options_.return_timestamps) return std::nullopt;
    return generate::time_tokens(settings_, generation_.eos_token_id.front());
  }
  std::optional<generate::HistoryRules> history() const;
  tasks::SpeechAttempts attempts() const;
  // prompt  the last of the first tokens
  generate::GeneratedTokens generated(const nn::Scope& root, const models::EncodedSource& source, const Columns& batch,
                                      const generate::FirstTokens& first, const generate::SpeechPrompt& prompt) const;
  // Adds the outputs of generated texts.
  void add_text(const nn::Scope& root, const models::EncodedSource& source, const Columns& batch,
                Forward& forward) const;

  int64_t frames_heard() const { return encoder_.speech_facts().spectrogram.frames; }
  double seconds_heard() const { return static_cast<double>(extractor_.config().chunk_length); }
  // Only predictions have history.
  tasks::TimedSpeech timed_speech(bool is_prediction) const;
  // Whether a text may need several passes.
  bool has_passes() const { return times_ || attempts_.are_scored(); }
  audio::DecodeOptions decoding(bool has_labels) const;
  GenerationOptions generation_of(const fs::path& model) const;
  void require_lengths();
  void require_language() const;

  std::vector<int32_t> text_ids(const std::string& text) const {
    return tokenizer_.encode(text, {.add_special_tokens = false}).ids;
  }

  data::Example example_of(const data::Example& row, Labels labels) const override;
  data::BatchType arrays(bool) const override {
    const auto [frames, bins] = encoder_.speech_facts().spectrogram;
    data::BatchType types{{kInputFeatures, {DType::kFloat32, {bins, frames}}}};
    if (has_passes()) types.push_back({tasks::kSpeechFrames, {DType::kInt32, {}}});
    if (attempts_.samples()) types.push_back({tasks::kSpeechDraws, {DType::kInt32, {}}});
    return types;
  }
  void add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                  std::optional<uint64_t> key) const override;
  void set_draw(data::Example& example) const;
  const std::string& base_prefix() const override { return model_->facts().base_prefix; }

  const SpeechSeq2SeqOptions options_;
  const std::unique_ptr<const models::TextModel> model_;
  const models::SpeechEncoder& encoder_;
  const models::Seq2Seq& body_;
  const audio::Extractor extractor_;
  const text::Tokenizer tokenizer_;
  GenerationOptions generation_;
  const io::JsonObject settings_;                            // of generation
  const generate::SpeechPrompt prompt_, prediction_prompt_;  // the tokens before the texts of rows, and of predictions
  const std::optional<TimeTokens> times_;                    // of predictions
  const std::optional<generate::HistoryRules> history_;      // of predictions
  const tasks::SpeechAttempts attempts_;                     // to write a text
  const std::optional<int32_t> no_speech_;                   // the token of silence, if texts depend on it
  const int64_t max_target_length_;
  const double max_seconds_;
  const std::vector<std::string> metrics_;
};

// An evaluation has one result for each row, which a token ends.
GenerationOptions SpeechSeq2Seq::generation_of(const fs::path& model) const {
  GenerationOptions generation = generation_options(model);
  generation.do_sample = false;
  generation.seed = options_.sampling_seed;
  generation.num_return_sequences = 1;
  generation.stop_strings.clear();
  if (options_.num_beams) generation.num_beams = *options_.num_beams;
  if (generation.eos_token_id.empty()) generation.eos_token_id = {static_cast<int32_t>(body_.facts().eos_token_id)};
  return generation;
}

// As in transformers, the tokens before a text do not count, but positions of the decoder bound the text.
void SpeechSeq2Seq::require_lengths() {
  const auto positions = [](const char* option, int64_t given, int64_t least, int64_t most) {
    if (given >= least && given <= most) return;
    throw UsageError(
        {.where = option,
         .given = std::to_string(given),
         .expected = std::to_string(least) + " to " + std::to_string(most) + ", the positions of the decoder"});
  };
  const int64_t max_target = body_.facts().max_target;
  positions("max_target_length", max_target_length_, std::ssize(prompt_.tokens) + 1, max_target);
  const int64_t new_tokens = options_.generation_max_length.value_or(max_target_length_);
  positions("generation_max_length", new_tokens, 1, max_target);
  generation_.max_new_tokens = new_tokens;
  const int64_t before =
      history_ ? history_->size() + std::ssize(prediction_prompt_.tokens) : prediction_prompt_.size();
  if (before >= max_target) {
    throw UsageError({.where = "prompt",
                      .given = std::to_string(before) + " tokens, with those of language and task" +
                               (history_ ? " and of earlier texts" : ""),
                      .expected = "fewer than " + std::to_string(max_target) + ", the positions of the decoder"});
  }
  if (times_ || max_seconds_ <= seconds_heard()) return;
  throw UsageError({.where = "max_duration_seconds",
                    .given = to_text(max_seconds_),
                    .expected = "at most " + to_text(seconds_heard()) + ", the chunk_length of the feature extractor",
                    .fix = "let return_timestamps write the times of longer recordings, which are only predicted"});
}

std::optional<generate::HistoryRules> SpeechSeq2Seq::history() const {
  const bool repeats_prompt = options_.prompt_condition_type == PromptCondition::kAllSegments;
  const auto require = [](bool has_effect, const char* option, const char* given, const char* expected) {
    if (!has_effect) throw UsageError({.where = option, .given = given, .expected = expected});
  };
  require(!options_.condition_on_prev_tokens.value_or(false) || times_, "condition_on_prev_tokens",
          "without return_timestamps", "return_timestamps beside it, as recordings of several windows need times");
  const bool has_earlier_texts =
      times_ && options_.condition_on_prev_tokens.value_or(settings_.get_bool_or("condition_on_prev_tokens", false));
  require(!repeats_prompt || (has_earlier_texts && !options_.prompt.empty()), "prompt_condition_type",
          "all-segments without earlier texts or without a prompt", "condition_on_prev_tokens and prompt beside it");
  if (!has_earlier_texts) return std::nullopt;
  return generate::HistoryRules{.start = generate::start_of_previous(settings_, tokenizer_),
                                .prompt = prediction_prompt_.previous,
                                .repeats_prompt = repeats_prompt,
                                .max_tokens = body_.facts().max_target / 2 - 1};
}

tasks::SpeechAttempts SpeechSeq2Seq::attempts() const {
  const tasks::SpeechAttempts attempts{.temperatures = {options_.temperature.begin(), options_.temperature.end()},
                                       .thresholds = {.compression_ratio = options_.compression_ratio_threshold,
                                                      .logprob = options_.logprob_threshold,
                                                      .no_speech = options_.no_speech_threshold},
                                       .vocab_size = model_->written_vocab_size(),
                                       .pad_id = pad_id()};
  tasks::require_useful(attempts);
  return attempts;
}

// The language is among the labels.
void SpeechSeq2Seq::require_language() const {
  if (prompt_.languages.empty()) return;
  throw UsageError({.where = "language",
                    .given = "none, for transcriptions and a model of several languages",
                    .expected = "the language of the recordings, such as hi or Hindi",
                    .fix = "set --language; only predictions detect it"});
}

data::Example SpeechSeq2Seq::example_of(const data::Example& row, Labels labels) const {
  data::Example example(row.origin());
  example.set(kAudio, file_name(row));
  tasks::set_weight_of(row, example);
  if (has_passes()) tasks::set_window_columns(example, frames_heard(), !prediction_prompt_.languages.empty());
  if (attempts_.are_scored()) tasks::set_attempt_columns(example, attempts_);
  if (labels == Labels::kIgnored) {
    if (history_) tasks::set_previous_column(example, *history_);
    return example;
  }
  require_language();
  const std::string text = tasks::not_blank(row, options_.text_column, row.text(options_.text_column));
  if (options_.predict_with_generate) example.set(tasks::kTargetText, text);
  std::vector<int32_t> ids =
      label_ids(prompt_.tokens, text_ids(text), generation_.eos_token_id.front(), max_target_length_);
  ids.resize(static_cast<size_t>(max_target_length_), tasks::kNoLabel);
  return example.set(kTextLabels, vector_of(ids));
}

void SpeechSeq2Seq::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                               std::optional<uint64_t> key) const {
  const bool has_labels = example.has(kTextLabels);
  const std::vector<float> samples = audio::decode(file, where, decoding(has_labels));
  if (!has_labels && std::ssize(samples) > extractor_.window_samples()) {
    tasks::set_long_recording(example, kInputFeatures, extractor_.long_spectrogram(samples), frames_heard());
    return set_draw(example);
  }
  Tensor features = extractor_(samples, where);
  const auto& masks = encoder_.speech_facts().spec_augment;
  if (key && masks) mask_spectrogram(features, *masks, *key);
  example.set(kInputFeatures, std::move(features));
  set_draw(example);
}

void SpeechSeq2Seq::set_draw(data::Example& example) const {
  if (!attempts_.samples()) return;
  const int32_t draw = tasks::draw_of_speech(example.tensor(kInputFeatures).as<float>(), 0);
  example.set(tasks::kSpeechDraws, Tensor({}, {draw}));
}

audio::DecodeOptions SpeechSeq2Seq::decoding(bool has_labels) const {
  const bool hears_windows = times_ && !has_labels;
  const bool lacks_times = !times_ && !has_labels && max_seconds_ == seconds_heard();
  return {.sample_rate = extractor_.config().sampling_rate,
          .max_seconds = hears_windows ? max_seconds_ : std::min(max_seconds_, seconds_heard()),
          .advice = lacks_times ? "predict with return_timestamps, which hears long recordings part by part"
                                : "cut the recording, or raise the limit (max_duration_seconds)"};
}

std::map<std::string, std::string> SpeechSeq2Seq::settings() const {
  return {{"audio_column", file_column()},
          {"text_column", options_.text_column},
          {"prompt", OptionType<std::vector<int32_t>>::text(prompt_.tokens)},
          {"max_duration_seconds", to_text(max_seconds_)},
          {"max_target_length", std::to_string(max_target_length_)},
          {"label_smoothing_factor", std::to_string(options_.label_smoothing)}};
}

Forward SpeechSeq2Seq::forward(const nn::Scope& root, const Columns& batch) const {
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  const bool is_training = root.options().training;
  const auto source = models::encoded_speech(encoder_.encoder_states(root, batch.at(kInputFeatures)));
  Forward forward{.loss_sum = full({DType::kFloat32, {}}, 0), .weight_sum = sum(weights), .outputs = {}};
  const auto found = batch.find(kTextLabels);
  if (found != batch.end()) {
    const Value& labels = found->second;
    const models::TextInputs target{.input_ids = body_.decoder_input_ids(labels)};
    const tasks::LanguageModelHead head{.model = *model_,
                                        .kind = models::HeadKind::kSeq2SeqLM,
                                        .root = root,
                                        .label_smoothing = is_training ? options_.label_smoothing : 0};
    const Value x = body_.decoder_states(root, target, source).back();
    forward = tasks::objective_of_tokens(head, x, labels, [&](const tasks::TokenFigures& figures) {
      return tasks::language_modelling(figures, labels, weights);
    });
  }
  const bool generates = found == batch.end() || (options_.predict_with_generate && !is_training);
  if (generates) add_text(root, source, batch, forward);
  return forward;
}

void SpeechSeq2Seq::add_text(const nn::Scope& root, const models::EncodedSource& source, const Columns& batch,
                             Forward& forward) const {
  const bool has_labels = batch.contains(kTextLabels);
  const auto column = [&](const char* name) {
    const auto found = batch.find(name);
    return found == batch.end() ? Value() : found->second;
  };
  const generate::SpeechPrompt& prompt = has_labels ? prompt_ : prediction_prompt_;
  const generate::FirstTokens first = generate::first_tokens(
      *model_, root, source, prompt,
      {.languages = column(tasks::kSpeechLanguages), .previous = column(tasks::kPreviousSpeech)});
  const generate::GeneratedTokens texts = generated(root, source, batch, first, prompt);
  tasks::add_generated(texts, batch.at(std::string(data::kExampleWeight)), forward);
  const bool has_times = times_ && !has_labels;
  if (has_times || attempts_.are_scored()) {
    forward.outputs.emplace_back(tasks::kSpeechFrames, batch.at(tasks::kSpeechFrames));
  }
  if (has_times) {
    const int64_t rows = texts.tokens.shape()[0];
    forward.outputs.emplace_back(tasks::kWindowBegins, full({DType::kInt32, {rows, 1}}, 0));
  }
  if (texts.logprobs) forward.outputs.emplace_back(tasks::kSpeechLogprobs, texts.logprobs);
  if (!no_speech_) return;
  forward.outputs.emplace_back(tasks::kNoSpeech,
                               generate::no_speech_probability(*model_, root, source, prompt, first, *no_speech_));
}

// Texts that are compared with transcriptions have no times.
generate::GeneratedTokens SpeechSeq2Seq::generated(const nn::Scope& root, const models::EncodedSource& source,
                                                   const Columns& batch, const generate::FirstTokens& first,
                                                   const generate::SpeechPrompt& prompt) const {
  GenerationOptions options = generation_;
  if (!batch.contains(kTextLabels)) options.times = times_;
  const auto without_previous = [&](generate::GeneratedTokens texts) {
    const int64_t previous = first.ids.shape()[1] - std::ssize(prompt.tokens);
    texts.tokens = slice(texts.tokens, 1, {previous, texts.tokens.shape()[1]});
    return texts;
  };
  if (!attempts_.are_scored()) {
    return without_previous(generate::generated_tokens(*model_, root, source, first, options));
  }
  const Value& temperatures = batch.at(tasks::kSpeechTemperatures);
  const bool samples = attempts_.samples();
  return without_previous(generate::scored_tokens(
      *model_, root, source, first, options,
      {.temperatures = temperatures, .draws = samples ? batch.at(tasks::kSpeechDraws) : Value(), .samples = samples}));
}

std::unique_ptr<PredictionLines> SpeechSeq2Seq::prediction_lines() const {
  return std::make_unique<SpeechLines>(tokenizer_, pad_id(), times_ ? std::optional(timed_speech(true)) : std::nullopt);
}

tasks::TimedSpeech SpeechSeq2Seq::timed_speech(bool is_prediction) const {
  const double step = seconds_heard() * models::SpeechFacts::kFramesOfTime / static_cast<double>(frames_heard());
  return {.scale = {.first = times_ ? times_->first : std::numeric_limits<int32_t>::max(), .step = step},
          .ends = generation_.eos_token_id,
          .prompt = std::ssize((is_prediction ? prediction_prompt_ : prompt_).tokens),
          .window = frames_heard(),
          .history = is_prediction ? history_ : std::nullopt};
}

// generate() of transformers then makes the same texts.
void SpeechSeq2Seq::save(const fs::path& folder) const {
  save_folder(folder, {.architecture = model_->class_name(models::HeadKind::kSeq2SeqLM)});
  if (options_.language.empty() && options_.generation_task.empty()) return;
  const fs::path file = folder / kGenerationConfig;
  auto json = io::parse_json_object(io::read_text(file, kMaxConfigBytes), file.string());
  if (!options_.language.empty()) json["language"] = options_.language;
  if (!options_.generation_task.empty()) json["task"] = options_.generation_task;
  replace_file(file, io::indented_text(json));
}

}  // namespace

std::unique_ptr<RowTask> speech_seq2seq(const ModelSource& model, SpeechSeq2SeqOptions options) {
  return std::make_unique<SpeechSeq2Seq>(model, std::move(options));
}

}  // namespace portatune
