#include "portatune/generate/options.h"

#include <algorithm>
#include <limits>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/generate/settings.h"
#include "portatune/hub/adapter.h"
#include "portatune/io/text/json.h"

namespace portatune {
namespace {

constexpr io::IntRange kTokenId{-(1 << 30), 1 << 30};

// Reads ids. A negative id, which some models have for padding, means none.
std::vector<int32_t> ids_or(const io::JsonObject& json, const char* key, const std::vector<int32_t>& fallback) {
  if (!json.has(key)) return fallback;
  std::vector<int64_t> ids =
      json.type_of(key) == "number" ? std::vector{json.get_int(key, kTokenId)} : json.get_ints(key, kTokenId);
  std::erase_if(ids, [](int64_t id) { return id < 0; });
  return {ids.begin(), ids.end()};
}

std::optional<int32_t> id_or(const io::JsonObject& json, const char* key, std::optional<int32_t> fallback) {
  const std::vector<int32_t> ids = ids_or(json, key, {});
  return ids.empty() ? fallback : std::optional(ids.front());
}

EarlyStopping early_stopping_of(const io::JsonObject& json) {
  if (json.type_of("early_stopping") != "string") {
    return json.get_bool_or("early_stopping", false) ? EarlyStopping::kTrue : EarlyStopping::kFalse;
  }
  if (const std::string word = json.get_string("early_stopping"); word != "never") {
    throw CheckpointError({.where = "generation_config.json, early_stopping",
                           .given = "\"" + word + "\"",
                           .expected = "true, false or \"never\""});
  }
  return EarlyStopping::kNever;
}

bool is_off(const io::JsonObject& json, const std::string& key) {
  const std::string_view type = json.type_of(key);
  return type == "null" || (type == "boolean" && !json.get_bool(key));
}

// Keys of options that Portatune lacks, except those that are off.
std::vector<std::string> without_effect(const io::JsonObject& json) {
  struct Neutral {
    const char* key;
    double value;
  };
  constexpr Neutral kNeutral[] = {{"typical_p", 1},
                                  {"epsilon_cutoff", 0},
                                  {"eta_cutoff", 0},
                                  {"no_repeat_ngram_size", 0},
                                  {"encoder_no_repeat_ngram_size", 0},
                                  {"encoder_repetition_penalty", 1},
                                  {"diversity_penalty", 0},
                                  {"num_beam_groups", 1},
                                  {"num_return_sequences", 1},
                                  {"min_length", 0},
                                  {"min_new_tokens", 0},
                                  {"min_p", 0},
                                  {"guidance_scale", 1}};
  std::vector<std::string> keys;
  for (const auto& [key, value] : kNeutral) {
    if (json.get_float_or(key, value) != value) keys.emplace_back(key);
  }
  for (const std::string& key : json.unread_keys()) {
    if (!is_off(json, key)) keys.push_back(key);
  }
  return keys;
}

[[noreturn]] void refuse(const char* option, const std::string& given, const std::string& expected) {
  throw UsageError({.where = option, .given = given, .expected = expected});
}

// Programs take numbers as float, where 1e-50 is 0 and 1e50 is infinite.
void require_number(const char* option, double value, double above, const char* expected,
                    float maximum = std::numeric_limits<float>::max()) {
  const auto narrow = static_cast<float>(value);
  if (!(narrow > above && narrow <= maximum)) refuse(option, to_text(value), expected);
}

void require_count(const char* option, int64_t value, int64_t minimum, int64_t maximum) {
  if (value < minimum || value > maximum) {
    refuse(option, std::to_string(value), std::to_string(minimum) + " to " + std::to_string(maximum));
  }
}

void require_id(const char* option, int32_t id, int64_t vocab_size) { require_count(option, id, 0, vocab_size - 1); }

}  // namespace

GenerationOptions generation_options(const std::filesystem::path& model) {
  const std::filesystem::path file = hub::folder_of_settings(model) / "generation_config.json";
  if (std::filesystem::exists(file)) return generate::read_options(io::JsonObject::read(file), {});
  const io::JsonObject config = hub::read_config(model);
  return {.eos_token_id = ids_or(config, "eos_token_id", {}),
          .bos_token_id = id_or(config, "bos_token_id", {}),
          .pad_token_id = id_or(config, "pad_token_id", {})};
}

namespace generate {

GenerationOptions read_options(const io::JsonObject& json, const GenerationOptions& defaults) {
  json.ignore({"transformers_version", "_from_model_config", "use_cache", "output_attentions", "output_hidden_states",
               "output_scores", "output_logits", "return_dict_in_generate", "max_length", "cache_implementation",
               "decoder_start_token_id", "_commit_hash"});
  GenerationOptions o = defaults;
  o.max_new_tokens = json.get_int_or("max_new_tokens", o.max_new_tokens);
  o.do_sample = json.get_bool_or("do_sample", o.do_sample);
  o.temperature = json.get_float_or("temperature", o.temperature);
  o.top_k = json.get_int_or("top_k", o.top_k);
  o.top_p = json.get_float_or("top_p", o.top_p);
  o.repetition_penalty = json.get_float_or("repetition_penalty", o.repetition_penalty);
  o.num_beams = json.get_int_or("num_beams", o.num_beams);
  o.length_penalty = json.get_float_or("length_penalty", o.length_penalty);
  o.early_stopping = early_stopping_of(json);
  o.eos_token_id = ids_or(json, "eos_token_id", o.eos_token_id);
  o.bos_token_id = id_or(json, "bos_token_id", o.bos_token_id);
  o.pad_token_id = id_or(json, "pad_token_id", o.pad_token_id);
  if (json.has("stop_strings")) {
    o.stop_strings = json.type_of("stop_strings") == "string" ? std::vector{json.get_string("stop_strings")}
                                                              : json.get_strings("stop_strings");
  }
  for (std::string& key : without_effect(json)) {
    if (std::ranges::find(o.unknown, key) == o.unknown.end()) o.unknown.push_back(std::move(key));
  }
  return o;
}

void check(const GenerationOptions& o, int64_t vocab_size) {
  constexpr int64_t kMaxCount = 1 << 24, kMaxBeams = 64;
  require_count("max_new_tokens", o.max_new_tokens, 1, kMaxCount);
  require_number("temperature", o.temperature, 0, "a number above 0; for greedy search, leave out do_sample");
  require_count("top_k", o.top_k, 0, kMaxCount);
  require_number("top_p", o.top_p, 0, "a number above 0 and at most 1", 1);
  require_number("repetition_penalty", o.repetition_penalty, 0, "a number above 0");
  require_count("num_beams", o.num_beams, 1, kMaxBeams);
  require_number("length_penalty", o.length_penalty, -std::numeric_limits<double>::infinity(), "a finite number");
  if (o.num_beams > 1 && o.do_sample) {
    throw UsageError({.where = "num_beams",
                      .given = std::to_string(o.num_beams) + " with do_sample",
                      .expected = "beam search or sampling, not both",
                      .fix = "leave out one of them"});
  }
  if (o.num_beams > 1 && !o.stop_strings.empty()) {
    throw UsageError({.where = "stop_strings",
                      .given = "stop strings with num_beams " + std::to_string(o.num_beams),
                      .expected = "no stop strings: beam search ends at eos_token_id alone"});
  }
  if (std::ssize(o.eos_token_id) > kMaxEosTokens) {
    refuse("eos_token_id", std::to_string(o.eos_token_id.size()) + " ids", "at most " + std::to_string(kMaxEosTokens));
  }
  for (const int32_t id : o.eos_token_id) require_id("eos_token_id", id, vocab_size);
  if (o.bos_token_id) require_id("bos_token_id", *o.bos_token_id, vocab_size);
  if (o.pad_token_id) require_id("pad_token_id", *o.pad_token_id, vocab_size);
  for (const std::string& stop : o.stop_strings) {
    if (stop.empty()) refuse("stop_strings", "an empty string", "at least one character");
  }
}

}  // namespace generate
}  // namespace portatune
