#include "portatune/generate/speech/speech_prompt.h"

#include <optional>

#include "portatune/error.h"
#include "portatune/generate/speech/languages.h"
#include "portatune/io/text/json.h"

namespace portatune::generate {
namespace {

constexpr const char* kNoTimestamps = "no_timestamps_token_id";
constexpr io::IntRange kId{0, 1 << 30};

int32_t id_of(const io::JsonObject& object, const std::string& key) {
  return static_cast<int32_t>(object.get_int(key, kId));
}

int32_t language_id(const io::JsonObject& ids, const std::string& language) {
  const std::string token = "<|" + language_code(language) + "|>";
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

void require_language(const std::string& language) {
  if (!language.empty()) return;
  throw UsageError({.where = "language",
                    .given = "none, for a model of several languages",
                    .expected = "the language of the recordings, such as hi or Hindi",
                    .fix = "set --language; Portatune does not detect languages"});
}

// Files of 2022 name the tokens alone, without their meaning.
void require_known_tokens(const io::JsonObject& settings) {
  if (!settings.has("forced_decoder_ids") || settings.has(kNoTimestamps)) return;
  throw CheckpointError({.where = "generation_config.json",
                         .given = std::string("forced_decoder_ids without ") + kNoTimestamps,
                         .expected = "a file of transformers 4.31 or later",
                         .fix = "copy the file of the pretrained model"});
}

}  // namespace

std::vector<int32_t> speech_prompt(const io::JsonObject& settings, int32_t start, const SpeechRequest& given) {
  require_known_tokens(settings);
  const std::optional<io::JsonObject> languages = settings.get_object("lang_to_id");
  std::vector<int32_t> tokens{start};
  if (languages && settings.get_bool_or("is_multilingual", true)) {
    const SpeechRequest request{
        .language = given.language.empty() ? settings.get_string_or("language", "") : given.language,
        .task = given.task.empty() ? settings.get_string_or("task", "transcribe") : given.task};
    require_language(request.language);
    tokens.push_back(language_id(*languages, request.language));
    const std::optional<io::JsonObject> tasks = settings.get_object("task_to_id");
    if (tasks) tokens.push_back(task_id(*tasks, request.task));
  } else {
    require_no_request(given);
  }
  if (settings.has(kNoTimestamps)) tokens.push_back(id_of(settings, kNoTimestamps));
  return tokens;
}

}  // namespace portatune::generate
