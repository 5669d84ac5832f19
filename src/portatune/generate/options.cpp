#include "portatune/generate/options.h"

#include <algorithm>
#include <limits>

#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/generate/settings.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"

namespace portatune {
namespace {

// A negative id, which some models have for padding, means none.
bool is_none(int32_t id) { return id < 0; }

void remove_negative(std::vector<int32_t>& ids) { std::erase_if(ids, is_none); }
void replace_negative(std::optional<int32_t>& id, const std::optional<int32_t>& fallback) {
  if (id && is_none(*id)) id = fallback;
}

// A length that is set replaces the other kind of length of earlier settings.
template <class IsSet>
void replace_lengths(GenerationOptions& o, IsSet is_set) {
  if (is_set("max_length") && !is_set("max_new_tokens")) o.max_new_tokens.reset();
  if (is_set("min_length") && !is_set("min_new_tokens")) o.min_new_tokens.reset();
}

// The values of a JSON object on top of `defaults`.
GenerationOptions read_fields(const io::JsonObject& json, const GenerationOptions& defaults) {
  GenerationOptions o = defaults;
  for (const OptionField& field : fields_of(o)) json.get_option(field);
  replace_lengths(o, [&](const char* key) { return json.has(key); });
  remove_negative(o.eos_token_id);
  remove_negative(o.forced_eos_token_id);
  replace_negative(o.bos_token_id, defaults.bos_token_id);
  replace_negative(o.pad_token_id, defaults.pad_token_id);
  replace_negative(o.decoder_start_token_id, defaults.decoder_start_token_id);
  replace_negative(o.forced_bos_token_id, defaults.forced_bos_token_id);
  return o;
}

bool is_off(const io::JsonObject& json, const std::string& key) {
  const std::string_view type = json.type_of(key);
  return type == "null" || (type == "boolean" && !json.get_bool(key));
}

// Known keys of options that Portatune lacks, except those that are off.
std::vector<std::string> without_effect(const io::JsonObject& json) {
  struct Neutral {
    const char* key;
    double value;
  };
  constexpr Neutral kNeutral[] = {{"typical_p", 1},
                                  {"epsilon_cutoff", 0},
                                  {"eta_cutoff", 0},
                                  {"encoder_no_repeat_ngram_size", 0},
                                  {"encoder_repetition_penalty", 1},
                                  {"diversity_penalty", 0},
                                  {"num_beam_groups", 1},
                                  {"min_p", 0},
                                  {"guidance_scale", 1}};
  std::vector<std::string> keys;
  for (const auto& [key, value] : kNeutral) {
    if (json.get_float_or(key, value) != value) keys.emplace_back(key);
  }
  return keys;
}

void add_unknown(std::vector<std::string>& unknown, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (std::ranges::find(unknown, key) == unknown.end()) unknown.push_back(key);
  }
}

[[noreturn]] void refuse(const char* option, const std::string& given, const std::string& expected) {
  throw UsageError({.where = option, .given = given, .expected = expected});
}

void require_count(const char* option, int64_t value, int64_t minimum, int64_t maximum) {
  if (value < minimum || value > maximum) {
    refuse(option, std::to_string(value), std::to_string(minimum) + " to " + std::to_string(maximum));
  }
}

// Otherwise no token is left where one is forced.
void require_some_not_suppressed(const char* option, const std::vector<int32_t>& forced,
                                 const std::vector<int32_t>& suppressed) {
  const auto is_suppressed = [&](int32_t id) { return std::ranges::find(suppressed, id) != suppressed.end(); };
  if (forced.empty() || !std::ranges::all_of(forced, is_suppressed)) return;
  refuse(option, OptionType<std::vector<int32_t>>::text(forced) + ", which suppress_tokens excludes",
         "a token that is not among suppress_tokens");
}

void require_id(const char* option, int32_t id, int64_t vocab_size) { require_count(option, id, 0, vocab_size - 1); }

// The options without those that only sampling uses, if there is none.
GenerationOptions without_unused_sampling(GenerationOptions o) {
  const GenerationOptions defaults;
  if (!o.do_sample) o.temperature = defaults.temperature, o.top_k = defaults.top_k, o.top_p = defaults.top_p;
  return o;
}

}  // namespace

GenerationOptions generation_options(const std::filesystem::path& model) {
  const std::filesystem::path file = hub::folder_of_settings(model) / "generation_config.json";
  if (std::filesystem::exists(file)) return generate::read_options(io::JsonObject::read(file), {});
  // Other keys of config.json describe the model.
  const io::JsonObject config = hub::read_config(model);
  GenerationOptions options = read_fields(config, {});
  add_unknown(options.unknown, without_effect(config));
  return options;
}

void GenerationOptions::describe(OptionFields& fields) {
  const OptionRules count{.highest = 1 << 24}, id{.highest = 1 << 30}, ids{.placeholder = "ID,ID,..."};
  const OptionRules positive{.lowest = kAboveZero}, at_least_one{.lowest = 1, .highest = 1 << 24};
  const auto new_tokens = std::to_string(kDefaultNewTokens);
  fields("max_new_tokens", max_new_tokens, "tokens to make at most",
         {.lowest = 1, .highest = 1 << 24, .default_help = new_tokens});
  fields("max_length", max_length, "likewise, with those of the prompt", at_least_one);
  fields("min_new_tokens", min_new_tokens, "tokens before the end of a text at least", count);
  fields("min_length", min_length, "likewise, with those of the prompt", count);
  fields("do_sample", do_sample, "sample tokens by their probabilities");
  fields("no_do_sample", do_sample, "take the most probable token", {.sets = "false"});
  fields("temperature", temperature, "above 1 makes improbable tokens more probable", positive);
  fields("top_k", top_k, "sample from so many most probable tokens; 0: from all", count);
  fields("top_p", top_p, "sample from the fewest tokens with this total probability",
         {.lowest = kAboveZero, .highest = 1});
  fields("repetition_penalty", repetition_penalty, "above 1 makes earlier tokens less probable", positive);
  fields("no_repeat_ngram_size", no_repeat_ngram_size, "n-grams of this size do not repeat; 0: off", count);
  fields("bad_words_ids", bad_words_ids, "a sequence of tokens that no text gets; give one or several",
         {.repeated = true, .placeholder = "ID,ID,..."});
  fields("suppress_tokens", suppress_tokens, "tokens that no text gets", ids);
  fields("begin_suppress_tokens", begin_suppress_tokens, "tokens with which no text begins", ids);
  fields("forced_bos_token_id", forced_bos_token_id, "the first token after a prompt of one token", id);
  fields("forced_eos_token_id", forced_eos_token_id, "the last token of a text of maximal length", ids);
  fields("num_return_sequences", num_return_sequences, "texts for each prompt", at_least_one);
  fields("num_beams", num_beams, "beams of the search; 1: no beam search", {.lowest = 1, .highest = 64});
  fields("length_penalty", length_penalty, "of beams; above 0 favours long texts",
         {.lowest = std::numeric_limits<float>::lowest()});
  fields("early_stopping", early_stopping, "whether a beam search ends as soon as enough texts have ended");
  fields("eos_token_id", eos_token_id, "tokens that end a text", ids);
  fields("bos_token_id", bos_token_id, "the token that replaces an empty prompt", id);
  fields("pad_token_id", pad_token_id, "the token after the end of a text", id);
  fields("decoder_start_token_id", decoder_start_token_id, "the first token of a decoder behind an encoder", id);
  fields("stop_strings", stop_strings, "a text that ends the completion; give one or several",
         {.repeated = true, .other_names = "stop_string", .placeholder = "TEXT"});
  fields("seed", seed, "seed of sampling", {.highest = 1.8e19});
}

std::optional<std::vector<int32_t>> OptionType<std::vector<int32_t>>::read(const std::string& text) {
  std::vector<int32_t> ids;
  for (const std::string& part : split(text, ',')) {
    const auto id = number_in<int32_t>(part);
    if (!id || is_none(*id)) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

std::string OptionType<std::vector<int32_t>>::text(const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

namespace generate {

int64_t max_new_tokens(const GenerationOptions& o, int64_t prompt) {
  if (o.max_new_tokens) return *o.max_new_tokens;
  return o.max_length ? *o.max_length - prompt : kDefaultNewTokens;
}

int64_t min_new_tokens(const GenerationOptions& o, int64_t prompt) {
  return o.min_new_tokens.value_or(std::max<int64_t>(o.min_length - prompt, 0));
}

GenerationOptions read_options(const io::JsonObject& json, const GenerationOptions& defaults) {
  json.ignore({"transformers_version", "_from_model_config", "use_cache", "output_attentions", "output_hidden_states",
               "output_scores", "output_logits", "return_dict_in_generate", "cache_implementation", "_commit_hash"});
  GenerationOptions o = read_fields(json, defaults);
  add_unknown(o.unknown, without_effect(json));
  std::vector<std::string> unread = json.unread_keys();
  std::erase_if(unread, [&](const std::string& key) { return is_off(json, key); });
  add_unknown(o.unknown, unread);
  return o;
}

GenerationOptions with_texts(GenerationOptions options, const OptionTexts& texts) {
  for (const OptionField& field : fields_of(options)) {
    const auto found = texts.find(field.name);
    if (found != texts.end()) field.set(found->second);
  }
  replace_lengths(options, [&](const char* name) { return texts.contains(name); });
  return options;
}

void check(const GenerationOptions& o, int64_t vocab_size) {
  check_ranges(without_unused_sampling(o));
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
  if (o.num_return_sequences > 1 && !o.do_sample && o.num_return_sequences > o.num_beams) {
    throw UsageError(
        {.where = "num_return_sequences",
         .given = std::to_string(o.num_return_sequences) + " with num_beams " + std::to_string(o.num_beams),
         .expected = "at most num_beams, or do_sample"});
  }
  if (std::ssize(o.eos_token_id) > kMaxEosTokens) {
    refuse("eos_token_id", std::to_string(o.eos_token_id.size()) + " ids", "at most " + std::to_string(kMaxEosTokens));
  }
  const auto require_ids = [&](const char* option, const auto& ids) {
    for (const int32_t id : ids) require_id(option, id, vocab_size);
  };
  require_ids("eos_token_id", o.eos_token_id);
  require_ids("forced_eos_token_id", o.forced_eos_token_id);
  require_ids("suppress_tokens", o.suppress_tokens);
  require_ids("begin_suppress_tokens", o.begin_suppress_tokens);
  for (const auto& words : o.bad_words_ids) {
    if (words.empty()) refuse("bad_words_ids", "an empty sequence", "at least one token");
    require_ids("bad_words_ids", words);
  }
  if (o.bos_token_id) require_id("bos_token_id", *o.bos_token_id, vocab_size);
  if (o.pad_token_id) require_id("pad_token_id", *o.pad_token_id, vocab_size);
  if (o.decoder_start_token_id) require_id("decoder_start_token_id", *o.decoder_start_token_id, vocab_size);
  if (o.forced_bos_token_id) require_id("forced_bos_token_id", *o.forced_bos_token_id, vocab_size);
  if (o.forced_bos_token_id) {
    require_some_not_suppressed("forced_bos_token_id", {*o.forced_bos_token_id}, o.suppress_tokens);
  }
  require_some_not_suppressed("forced_eos_token_id", o.forced_eos_token_id, o.suppress_tokens);
  for (const std::string& stop : o.stop_strings) {
    if (stop.empty()) refuse("stop_strings", "an empty string", "at least one character");
  }
}

}  // namespace generate
}  // namespace portatune
