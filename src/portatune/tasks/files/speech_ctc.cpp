#include "portatune/tasks/speech_ctc.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "portatune/base/files/output_file.h"
#include "portatune/base/text/message.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/media/audio/wav_file.h"
#include "portatune/ops.h"
#include "portatune/option_fields.h"
#include "portatune/tasks/files/language_weights.h"
#include "portatune/tasks/files/transcribed_files.h"
#include "portatune/tasks/metrics/transcriptions.h"
#include "portatune/tasks/objectives/ctc.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/target_language.h"
#include "portatune/tasks/rows/ctc_tokenizer.h"
#include "portatune/tasks/rows/letter_case.h"
#include "portatune/tasks/rows/row_file.h"
#include "portatune/tasks/rows/source_target.h"
#include "portatune/tasks/task_context.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using tasks::CtcTokenizer;

constexpr const char* kLabels = "labels";

std::set<char32_t> characters_in(std::string_view text) {
  std::set<char32_t> characters;
  for (size_t at = 0; at < text.size();) characters.insert(text::next_code_point(text, at));
  return characters;
}

std::string without(const std::set<char32_t>& ignored, std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    if (!ignored.contains(c)) text::append_utf8(c, result);
  }
  return result;
}

// The transcription of a row in UTF-8, without the ignored characters.
std::string transcription_of(const data::Example& row, const SpeechCtcOptions& options) {
  const std::string text = tasks::not_blank(row, options.text_column, row.text(options.text_column));
  text::require_utf8(text);
  return without(characters_in(options.chars_to_ignore), text);
}

CtcTokenizer tokenizer_of(const fs::path& model, const SpeechCtcOptions& options) {
  text::require_utf8(options.chars_to_ignore);
  if (!options.characters.empty()) return CtcTokenizer::of_characters(characters_in(options.characters));
  return CtcTokenizer::load(hub::folder_of_settings(model), options.target_lang);
}

bool has_ctc_head(const io::JsonObject& config) {
  return std::ranges::any_of(config.get_strings("architectures"),
                             [](const std::string& name) { return name.ends_with("ForCTC"); });
}

// The file with the weights of the chosen language. None: no language is chosen, it is that of the model, or new.
std::optional<fs::path> file_of_language(const ModelSource& model, const SpeechCtcOptions& options) {
  const std::string& language = options.target_lang;
  if (language.empty()) return std::nullopt;
  if (!hub::read_config(model).has("adapter_attn_dim")) {
    throw UsageError({.where = "target_lang",
                      .given = "\"" + language + "\" for a model without adapter_attn_dim in config.json",
                      .expected = "a model with adapters of languages, such as facebook/mms-1b-all",
                      .fix = "leave out --target-lang"});
  }
  if (!options.characters.empty()) return std::nullopt;
  const fs::path file = tasks::language_file(model.folder, language);
  if (fs::exists(file)) return file;
  if (language == tasks::language_of(hub::folder_of_settings(model.folder))) return std::nullopt;
  throw NotFoundError({.where = file.string(),
                       .given = "no such file",
                       .expected = "the weights of the language \"" + language + "\"",
                       .fix = "download " + file.filename().string() + " to the model folder"});
}

// A new head has the size of the vocabulary, and so does one for a new vocabulary. A file of a language has its own.
ModelSource with_vocabulary(ModelSource model, const SpeechCtcOptions& options, const CtcTokenizer& tokenizer,
                            const std::optional<fs::path>& language) {
  if (options.ctc_loss_reduction)
    model.config["ctc_loss_reduction"] = nlohmann::json(*options.ctc_loss_reduction).dump();
  if (language) {
    model.config["vocab_size"] = std::to_string(tasks::vocab_size_of_language(*language));
    return model;
  }
  if (options.characters.empty() && has_ctc_head(hub::read_config(model))) return model;
  model.config["vocab_size"] = std::to_string(tokenizer.size());
  model.config["pad_token_id"] = std::to_string(tokenizer.blank_id());
  return model;
}

void require_ctc(const models::AudioModelFacts& facts) {
  if (facts.ctc) return;
  throw UsageError(
      {.where = "model", .given = facts.class_prefix + ", which has no CTC head", .expected = "wav2vec 2.0 or HuBERT"});
}

void require_fitting(const CtcTokenizer& tokenizer, const models::CtcFacts& facts, const fs::path& model) {
  if (tokenizer.blank_id() == facts.blank_id && tokenizer.last_id() < facts.vocab_size) return;
  throw CheckpointError({.where = (model / "vocab.json").string(),
                         .given = "ids up to " + std::to_string(tokenizer.last_id()) + ", padding " +
                                  std::to_string(tokenizer.blank_id()),
                         .expected = "ids below " + std::to_string(facts.vocab_size) + ", padding " +
                                     std::to_string(facts.blank_id) + ", as in config.json"});
}

void require_durations(const SpeechCtcOptions& options) {
  if (options.min_duration_seconds < options.input.max_length_seconds) return;
  throw UsageError({.where = "min_duration_seconds",
                    .given = to_text(options.min_duration_seconds),
                    .expected = "less than max_duration_seconds, " + to_text(options.input.max_length_seconds)});
}

// The number of frames that an alignment needs: equal neighbours have a blank between them.
int64_t frames_for(std::span<const int32_t> labels, int32_t blank) {
  int64_t frames = 0;
  int32_t last = blank;
  for (const int32_t label : labels) {
    if (label == blank) continue;  // not aligned
    frames += label == last ? 2 : 1;
    last = label;
  }
  return frames;
}

void require_alignment(std::span<const int32_t> labels, int32_t blank, int64_t frames, const std::string& where) {
  const int64_t needed = frames_for(labels, blank);
  if (needed <= frames) return;
  throw DataError({.where = where,
                   .given = std::to_string(frames) + " frames for a transcription that needs " + std::to_string(needed),
                   .expected = "a frame for each character, and one between equal ones",
                   .fix = "check the transcription, or remove the row: --bad-rows skip:N"});
}

}  // namespace

void SpeechCtcOptions::describe(OptionFields& fields) {
  describe_text_column(fields, text_column);
  describe_metrics(fields, metrics);
  describe_audio_column(fields, audio_column);
  fields("chars_to_ignore", chars_to_ignore, "characters to remove from transcriptions",
         {.placeholder = "CHARACTERS", .use = OptionUse::kLabels, .kept = true});
  fields("max_duration_seconds", input.max_length_seconds, "leave out rows with longer recordings",
         {.lowest = 0.001, .highest = 3600, .other_names = "max_duration_in_seconds"});
  fields("min_duration_seconds", min_duration_seconds, "leave out rows with shorter recordings",
         {.highest = 3600, .other_names = "min_duration_in_seconds", .use = OptionUse::kLabels});
  input.describe_files(fields);
  fields("ctc_loss_reduction", ctc_loss_reduction, "of the losses of a batch; mean: by labels and rows",
         {.choices = {{"sum"}, {"mean"}}, .default_help = "that of config.json", .use = OptionUse::kTraining});
  fields("new_vocabulary", new_vocabulary, "make a vocabulary although the model folder has one",
         {.use = OptionUse::kTraining});
  fields("target_lang", target_lang, "language of the recordings, for a model with adapters of languages (MMS)",
         {.default_help = "that of the model", .kept = true});
}

struct SpeechCtc::Impl {
  Impl(const ModelSource& source, SpeechCtcOptions given, std::shared_ptr<data::BadRows> bad_rows)
      : options(std::move(given)),
        bad_rows(std::move(bad_rows)),
        tokenizer(tokenizer_of(source.folder, options)),
        letter_case(options.characters.empty() ? tokenizer.letter_case() : tasks::LetterCase::kLower),
        language(file_of_language(source, options)),
        model(with_vocabulary(source, options, tokenizer, language)) {
    require_durations(options);
  }

  // The transcription of a row as the vocabulary spells it. As in run_speech_recognition_ctc.py, a space ends it.
  std::string spelled(const data::Example& row) const {
    std::string text = transcription_of(row, options);
    if (letter_case == tasks::LetterCase::kLower) text = tasks::lower_case(text);
    if (letter_case == tasks::LetterCase::kUpper) text = tasks::upper_case(text);
    return tokenizer.has_word_delimiter() ? text + " " : text;
  }

  // The weights of a new language start at random, but not those of a checkpoint that has it.
  bool is_new_language() const {
    return !options.target_lang.empty() && !options.characters.empty() &&
           options.target_lang != tasks::language_of(hub::folder_of_settings(model.folder));
  }

  const SpeechCtcOptions options;
  const std::shared_ptr<data::BadRows> bad_rows;
  const CtcTokenizer tokenizer;
  const tasks::LetterCase letter_case;     // of transcriptions
  const std::optional<fs::path> language;  // file of its weights
  const ModelSource model;
};

SpeechCtc::SpeechCtc(const ModelSource& model, SpeechCtcOptions options, std::shared_ptr<data::BadRows> bad_rows)
    : SpeechCtc(std::make_unique<Impl>(model, std::move(options), std::move(bad_rows))) {}

SpeechCtc::SpeechCtc(std::unique_ptr<Impl> impl)
    : AudioTask(impl->model, impl->options.audio_column, impl->options.input), impl_(std::move(impl)) {
  require_ctc(model().facts());
  require_fitting(impl_->tokenizer, *model().facts().ctc, impl_->model.folder);
  static_cast<void>(metrics());  // refuses unknown names
  set_pairs({{max_length(), max_target_length()}});
}

SpeechCtc::~SpeechCtc() = default;

bool SpeechCtc::has_duration(const data::Example& row) const { return AudioTask::has_duration(row, durations()); }

std::vector<bool> SpeechCtc::have_duration(const data::Dataset& rows) const {
  return AudioTask::have_duration(rows, durations(), impl_->bad_rows);
}

AudioTask::DurationRange SpeechCtc::durations() const {
  return {impl_->options.min_duration_seconds, impl_->options.input.max_length_seconds};
}

std::vector<std::string> SpeechCtc::columns(Labels labels) const {
  if (labels == Labels::kIgnored) return {file_column()};
  return {file_column(), impl_->options.text_column};
}

data::Dataset SpeechCtc::read(const std::vector<std::string>& files, Labels labels, data::TableOptions table) const {
  const bool has_texts = labels == Labels::kRequired;
  const data::Dataset rows = tasks::read_transcribed_files(
      files, file_column(), has_texts ? impl_->options.text_column : "", std::move(table));
  return has_texts ? rows.select(have_duration(rows)) : rows;
}

data::Example SpeechCtc::encode(const data::Example& row, Labels labels) const { return encoded(row, labels); }

data::Example SpeechCtc::example_of(const data::Example& row, Labels wanted) const {
  data::Example example(row.origin());
  example.set("audio", file_name(row));
  tasks::set_weight_of(row, example);
  if (wanted == Labels::kIgnored) return example;
  const std::vector<int32_t> labels = impl_->tokenizer.encode(impl_->spelled(row));
  const int64_t classes = model().facts().ctc->vocab_size;
  const auto highest = std::ranges::max_element(labels);
  if (highest != labels.end() && *highest >= classes) {
    throw DataError({.where = to_string(row.origin()),
                     .given = "a token with the id " + std::to_string(*highest),
                     .expected = "ids of the model, 0 to " + std::to_string(classes - 1)});
  }
  example.set(tasks::kSpelledText, impl_->tokenizer.decode_labels(labels));
  return example.set(kLabels, Tensor({std::ssize(labels)}, std::span<const int32_t>(labels)));
}

int64_t SpeechCtc::frames_of(const data::Example& example, int64_t samples, const std::string& where) const {
  const models::AudioModelFacts& facts = model().facts();
  static_cast<void>(AudioTask::frames_of(example, samples, where));  // of the limit, if there are more
  const int64_t frames = facts.frames(samples);
  if (frames > max_length()) {
    throw DataError({.where = where,
                     .given = std::to_string(frames) + " frames",
                     .expected = "at most " + std::to_string(max_length()),
                     .fix = "raise --max-duration-seconds, or divide the recording"});
  }
  if (example.has(kLabels) && !facts.ctc->zero_infinity) {
    require_alignment(example.tensor(kLabels).as<int32_t>(), impl_->tokenizer.blank_id(), facts.head_frames(frames),
                      where);
  }
  return frames;
}

void SpeechCtc::add_arrays(data::Example& example, std::span<const std::byte> file, const std::string& where,
                           std::optional<uint64_t> key) const {
  add_waveform(example, audio::decode(file, where, decoding()), where, key);
  const int64_t frames = model().facts().head_frames(example.tensor(kFrames).as<int32_t>()[0]);
  example.set(tasks::kHeadFrames, Tensor({}, {static_cast<int32_t>(frames)}));
}

std::unique_ptr<PredictionLines> SpeechCtc::prediction_lines() const {
  return std::make_unique<tasks::TranscriptionLines>(impl_->tokenizer);
}

std::string SpeechCtc::score_of_best_model() const {
  const std::vector<std::string>& names = impl_->options.metrics;
  const bool reports_words =
      std::ranges::any_of(names, [](const auto& name) { return name == "wer" || name == "all"; });
  return reports_words ? "wer" : names.empty() ? "" : names.front();
}

std::map<std::string, std::string> SpeechCtc::settings() const {
  const SpeechCtcOptions& options = impl_->options;
  std::map<std::string, std::string> settings = {{"audio_column", options.audio_column},
                                                 {"text_column", options.text_column},
                                                 {"chars_to_ignore", options.chars_to_ignore},
                                                 {"max_duration_seconds", to_text(options.input.max_length_seconds)},
                                                 {"min_duration_seconds", to_text(options.min_duration_seconds)},
                                                 {"attention_mask", hides_padding() ? "true" : "false"},
                                                 {"ctc_loss_reduction", model().facts().ctc->is_mean ? "mean" : "sum"}};
  if (!options.target_lang.empty()) settings["target_lang"] = options.target_lang;
  return settings;
}

std::vector<std::string> SpeechCtc::inputs() const { return {"input_values", std::string(data::kExampleWeight)}; }

std::vector<std::string> SpeechCtc::optional_inputs() const {
  std::vector<std::string> names = AudioTask::optional_inputs();
  names.push_back(kLabels);
  return names;
}

Forward SpeechCtc::forward(const nn::Scope& root, const Columns& batch) const {
  const models::AudioInputs in = inputs_of(batch);
  const Value logits = model().ctc_logits(root, model().hidden_states(root, in).back());
  const Value& weights = batch.at(std::string(data::kExampleWeight));
  Forward forward{.loss_sum = full({DType::kFloat32, {}}, 0), .weight_sum = sum(weights), .outputs = {}};
  if (const auto labels = batch.find(kLabels); labels != batch.end()) {
    const models::AudioModelFacts& facts = model().facts();
    forward =
        tasks::ctc(*facts.ctc, logits, labels->second, models::head_frames_of(facts, in), weights, root.options().mesh);
  }
  forward.outputs = tasks::ids_of_logits(tasks::kFrameIds, logits);
  return forward;
}

std::unique_ptr<Metrics> SpeechCtc::metrics() const {
  return std::make_unique<tasks::TranscriptionMetrics>(impl_->tokenizer, impl_->options.metrics);
}

InitialWeights SpeechCtc::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  InitialWeights weights = AudioTask::initial_weights(parameters, seed);
  if (impl_->language) tasks::read_language(*impl_->language, parameters, weights);
  if (impl_->is_new_language()) tasks::draw_language(parameters, seed, weights);
  return weights;
}

// The weights of the language are among those of the model, as in folders that transformers writes.
void SpeechCtc::save(const fs::path& folder) const {
  const std::string& language = impl_->options.target_lang;
  save_folder(folder, {.architecture = model().facts().class_prefix + "ForCTC"});
  if (impl_->options.characters.empty()) {
    if (!language.empty()) tasks::save_language(folder, language);
    return;
  }
  const CtcTokenizer& tokenizer = impl_->tokenizer;
  for (const auto& [name, content] : language.empty() ? tokenizer.files() : tokenizer.files(language, folder)) {
    replace_file(folder / name, content);
  }
}

namespace {

constexpr const char* kEnglishCharacters = " 'abcdefghijklmnopqrstuvwxyz";

bool has_vocabulary(const ModelSource& model, const SpeechCtcOptions& options) {
  const fs::path folder = hub::folder_of_settings(model.folder);
  return options.target_lang.empty() ? fs::exists(folder / "vocab.json")
                                     : tasks::has_language(folder, options.target_lang);
}

// The characters of the transcriptions in lower case.
std::string characters_of_rows(const TaskContext& context, const SpeechCtcOptions& options) {
  const data::Dataset rows =
      tasks::read_transcribed_files(context.files, options.audio_column, options.text_column, context.table);
  std::set<char32_t> characters;
  for (const data::Example& row : context.readable(rows).iterate()) {
    characters.merge(characters_in(tasks::lower_case(transcription_of(row, options))));
  }
  std::string text;
  for (const char32_t c : characters) text::append_utf8(c, text);
  return text;
}

void report_durations(const TaskContext& context, const SpeechCtc& task, const SpeechCtcOptions& options) {
  const data::Dataset rows =
      tasks::read_transcribed_files(context.files, options.audio_column, options.text_column, context.table);
  const int64_t outside = std::ranges::count(task.have_duration(rows), false);
  if (outside == 0) return;
  context.notice(counted(outside, "recording") + " of " + to_text(options.min_duration_seconds) +
                 " seconds or less, or " + to_text(options.input.max_length_seconds) + " or more, left out");
}

std::unique_ptr<RowTask> make_speech_ctc(const TaskContext& context, const SpeechCtcOptions& given) {
  SpeechCtcOptions options = given;
  const bool is_trained = context.classes == Classes::kOfRows;
  if (is_trained && (options.new_vocabulary || !has_vocabulary(context.model, options))) {
    options.characters = characters_of_rows(context, options);
  } else if (context.classes == Classes::kAssumed && !has_vocabulary(context.model, options)) {
    options.characters = kEnglishCharacters;
  }
  auto task = std::make_unique<SpeechCtc>(context.model, options, context.bad_rows);
  if (is_trained) report_durations(context, *task, options);
  return task;
}

std::vector<data::Example> rows_of_speech_ctc(const RowTask& task, const SpeechCtcOptions& options) {
  data::Example row = tasks::sample_row(task);
  return {row.set(options.audio_column, audio::silent_wav_file())};
}

}  // namespace

const TaskSpec& speech_ctc_spec() {
  static const TaskSpec kSpec =
      task_spec<SpeechCtcOptions>({.name = "speech-ctc",
                                   .classes = {"ForCTC"},
                                   .run_options = {RunOption::kPadding, RunOption::kWeightColumn},
                                   .pipeline = "automatic-speech-recognition",
                                   .make = make_speech_ctc,
                                   .sample_rows = rows_of_speech_ctc});
  return kSpec;
}

}  // namespace portatune
