#include "portatune/generate/speech/speech_prompt.h"

#include <optional>

#include "portatune/error.h"
#include "portatune/generate/speech/languages.h"
#include "portatune/io/text/json.h"

namespace portatune::generate {
namespace {

constexpr const char* kNoTimestamps = "no_timestamps_token_id";
constexpr const char* kMaxInitialTime = "max_initial_timestamp_index";
constexpr const char* kStartOfPrevious = "<|startofprev|>";
constexpr io::IntRange kId{0, 1 << 30};

int32_t id_of(const io::JsonObject& object, const std::string& key) {
  return static_cast<int32_t>(object.get_int(key, kId));
}

std::string token_of_language(std::string_view code) { return "<|" + std::string(code) + "|>"; }

int32_t language_id(const io::JsonObject& ids, const std::string& language) {
  const std::string token = token_of_language(language_code(language));
  if (ids.has(token)) return id_of(ids, token);
  throw UsageError({.where = "language",
                    .given = "'" + language + "'",
                    .expected = "a language of the model, by its code or its English name: a key of lang_to_id in "
                                "generation_config.json"});
}

int32_t task_id(const io::JsonObject& ids, const std::string& task) {
  if (ids.has(task)) return id_of(ids, task);
  throw UsageError({.where = "generation_task",
                    .given = "'" + task + "'",
                    .expected = "a task of the model: transcribe or translate"});
}

// A model of one language has no tokens for requests.
void require_no_request(const SpeechRequest& request) {
  const bool is_language = !request.language.empty();
  if (!is_language && request.task.empty()) return;
  throw UsageError(
      {.where = is_language ? "language" : "generation_task",
       .given = "'" + (is_language ? request.language : request.task) + "' for a model of one language",
       .expected = "a model of several languages, with lang_to_id and task_to_id in generation_config.json",
       .fix = "leave the option out, or choose another model"});
}

std::vector<int32_t> all_languages(const io::JsonObject& ids) {
  std::vector<int32_t> languages;
  for (const std::string_view code : language_codes()) {
    const std::string token = token_of_language(code);
    if (ids.has(token)) languages.push_back(id_of(ids, token));
  }
  if (!languages.empty()) return languages;
  throw CheckpointError({.where = "generation_config.json, lang_to_id",
                         .given = "no known language",
                         .expected = "the ids of languages such as <|en|>"});
}

// Files of 2022 name the tokens alone, without their meaning.
void require_known_tokens(const io::JsonObject& settings) {
  if (!settings.has("forced_decoder_ids") || settings.has(kNoTimestamps)) return;
  throw CheckpointError({.where = "generation_config.json",
                         .given = std::string("forced_decoder_ids without ") + kNoTimestamps,
                         .expected = "a file of transformers 4.31 or later",
                         .fix = "copy the file of the pretrained model"});
}

void require_times(const io::JsonObject& settings, const char* option) {
  if (settings.has(kNoTimestamps)) return;
  throw UsageError({.where = option,
                    .given = "a model without times",
                    .expected = std::string(kNoTimestamps) + " in generation_config.json"});
}

int32_t start_of_previous(const text::Tokenizer& tokenizer, const char* option) {
  if (const std::optional<int32_t> start = tokenizer.token_to_id(kStartOfPrevious)) return *start;
  throw UsageError({.where = option,
                    .given = "a model whose tokenizer lacks " + std::string(kStartOfPrevious),
                    .expected = "a model of texts with earlier texts before them"});
}

}  // namespace

SpeechPrompt speech_prompt(const io::JsonObject& settings, int32_t start, const SpeechRequest& given) {
  require_known_tokens(settings);
  const std::optional<io::JsonObject> languages = settings.get_object("lang_to_id");
  SpeechPrompt prompt{.tokens = {start}};
  if (languages && settings.get_bool_or("is_multilingual", true)) {
    const SpeechRequest request{
        .language = given.language.empty() ? settings.get_string_or("language", "") : given.language,
        .task = given.task.empty() ? settings.get_string_or("task", "transcribe") : given.task};
    if (request.language.empty()) prompt.languages = all_languages(*languages);
    prompt.tokens.push_back(request.language.empty() ? prompt.languages.at(0)
                                                     : language_id(*languages, request.language));
    const std::optional<io::JsonObject> tasks = settings.get_object("task_to_id");
    if (tasks) prompt.tokens.push_back(task_id(*tasks, request.task));
  } else {
    require_no_request(given);
  }
  if (!given.times && settings.has(kNoTimestamps)) prompt.tokens.push_back(id_of(settings, kNoTimestamps));
  return prompt;
}

std::vector<int32_t> previous_text(const std::string& text, const text::Tokenizer& tokenizer) {
  const int32_t start = start_of_previous(tokenizer, "prompt");
  std::vector<int32_t> ids = tokenizer.encode(" " + text, {.add_special_tokens = false}).ids;
  for (const int32_t id : ids) {
    if (!tokenizer.decode(std::span(&id, 1), {.skip_special_tokens = true}).empty()) continue;
    throw UsageError({.where = "prompt",
                      .given = "the special token " + std::string(tokenizer.id_to_token(id)),
                      .expected = "text without special tokens"});
  }
  ids.insert(ids.begin(), start);
  return ids;
}

int32_t start_of_previous(const io::JsonObject& settings, const text::Tokenizer& tokenizer) {
  constexpr const char* kKey = "prev_sot_token_id";
  return settings.has(kKey) ? id_of(settings, kKey) : start_of_previous(tokenizer, "condition_on_prev_tokens");
}

int32_t no_speech_token(const io::JsonObject& settings) {
  require_times(settings, "no_speech_threshold");
  return id_of(settings, kNoTimestamps) - 1;
}

TimeTokens time_tokens(const io::JsonObject& settings, int32_t end) {
  require_times(settings, "return_timestamps");
  TimeTokens times{.first = id_of(settings, kNoTimestamps) + 1, .end = end, .max_initial = {}};
  if (settings.has(kMaxInitialTime)) times.max_initial = id_of(settings, kMaxInitialTime);
  return times;
}

}  // namespace portatune::generate
