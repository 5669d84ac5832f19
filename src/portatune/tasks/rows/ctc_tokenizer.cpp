#include "portatune/tasks/rows/ctc_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/rows/letter_case.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

namespace fs = std::filesystem;
using Tree = nlohmann::ordered_json;
using Ids = std::map<std::string, int32_t>;

constexpr const char* kVocabulary = "vocab.json";
constexpr const char* kTokenizerConfig = "tokenizer_config.json";
constexpr const char* kSpecialTokens = "special_tokens_map.json";
constexpr const char* kAddedTokens = "added_tokens.json";
constexpr const char* kLanguage = "target_lang";

Tree object_in(const fs::path& file) {
  constexpr int64_t kMaxBytes = 10'000'000;
  return io::parse_json_object(io::read_text(file, kMaxBytes), file.string());
}

Tree object_if_there(const fs::path& file) { return fs::exists(file) ? object_in(file) : Tree::object(); }

CheckpointError bad_value(const fs::path& file, const std::string& key, const char* expected) {
  return CheckpointError({.where = file.string() + ", " + key, .given = "another value", .expected = expected});
}

Ids ids_in(const Tree& object, const fs::path& file) {
  constexpr int64_t kMaxIds = 1 << 20;
  Ids ids;
  for (const auto& [token, id] : object.items()) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() >= kMaxIds) {
      throw bad_value(file, token, "an id from 0");
    }
    ids[token] = id.get<int32_t>();
  }
  return ids;
}

// The tokens of "added_tokens_decoder", an object for each id.
Ids added_tokens_in(const Tree& config, const fs::path& file) {
  Ids ids;
  const auto decoder = config.find("added_tokens_decoder");
  if (decoder == config.end() || !decoder->is_object()) return ids;
  for (const auto& [id, token] : decoder->items()) {
    const auto content = token.is_object() ? token.find("content") : token.end();
    const bool is_id =
        !id.empty() && id.size() < 8 && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_id || content == token.end() || !content->is_string()) {
      throw bad_value(file, "added_tokens_decoder", "an object with its content for each id");
    }
    ids[content->get<std::string>()] = std::stoi(id);
  }
  return ids;
}

// Sets a token to the value of a key, a text or an object with the text as its content.
void read_token(const Tree& object, const fs::path& file, const char* key, std::string& token) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  const Tree value = found->is_object() ? found->value("content", Tree()) : *found;
  if (!value.is_string()) throw bad_value(file, key, "a token");
  token = value.get<std::string>();
}

bool bool_in(const Tree& object, const fs::path& file, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return false;
  if (!found->is_boolean()) throw bad_value(file, key, "true or false");
  return found->get<bool>();
}

// The names of the languages that have a vocabulary.
std::vector<std::string> languages_in(const Tree& vocabularies) {
  std::vector<std::string> languages;
  for (const auto& [language, vocabulary] : vocabularies.items()) {
    if (vocabulary.is_object()) languages.push_back(language);
  }
  return languages;
}

bool contains(const std::vector<std::string>& languages, const std::string& language) {
  return std::ranges::find(languages, language) != languages.end();
}

// The vocabulary of one language, if there are several.
Tree vocabulary_in(const fs::path& file, const std::string& language) {
  Tree all = object_in(file);
  const std::vector<std::string> languages = languages_in(all);
  if (language.empty() && languages.empty()) return all;
  if (contains(languages, language)) return all[language];
  throw UsageError({.where = kLanguage,
                    .given = language.empty() ? "none" : "\"" + language + "\"",
                    .expected = languages.empty() ? "no language, as " + file.string() + " has one vocabulary"
                                                  : "a language of " + file.string() + ": " + list_of(languages),
                    .fix = suggestion(nearest(language, languages))});
}

std::string text_of_json(const Tree& object) { return object.dump(2) + "\n"; }

std::string without_spaces_at_end(std::string_view text) {
  const std::string_view inner = stripped(text);
  return inner.empty() ? "" : std::string(text.data(), inner.data() + inner.size());
}

std::string without_spaces_at_begin(std::string_view text) {
  const std::string_view inner = stripped(text);
  return inner.empty() ? "" : std::string(inner.data(), text.data() + text.size());
}

}  // namespace

// Special tokens that the vocabulary lacks get the next ids, in the order of transformers.
CtcTokenizer::CtcTokenizer(Config config, Ids vocabulary, Ids added)
    : config_(std::move(config)), vocabulary_(std::move(vocabulary)), ids_(vocabulary_) {
  ids_.merge(added);
  for (const std::string& token :
       {config_.bos, config_.eos, config_.unknown, config_.padding, config_.word_delimiter}) {
    ids_.emplace(token, static_cast<int32_t>(ids_.size()));
  }
  for (const auto& [token, id] : ids_) {
    tokens_.emplace(id, token);
    if (text::count_code_points(token) > 1) whole_tokens_.push_back({token, vocabulary_.contains(token)});
  }
  std::ranges::stable_sort(whole_tokens_, std::ranges::greater(), [](const WholeToken& t) { return t.token.size(); });
  blank_id_ = ids_.at(config_.padding);
}

CtcTokenizer CtcTokenizer::load(const fs::path& folder, const std::string& given_language) {
  const std::string language = given_language.empty() ? language_of(folder) : given_language;
  const fs::path file = folder / kTokenizerConfig, special_file = folder / kSpecialTokens;
  const Tree settings = object_if_there(file), special = object_if_there(special_file);
  Config config;
  for (const auto& [object, from] : {std::pair(&special, &special_file), std::pair(&settings, &file)}) {
    read_token(*object, *from, "bos_token", config.bos);
    read_token(*object, *from, "eos_token", config.eos);
    read_token(*object, *from, "unk_token", config.unknown);
    read_token(*object, *from, "pad_token", config.padding);
    read_token(*object, *from, "word_delimiter_token", config.word_delimiter);
  }
  read_token(settings, file, "replace_word_delimiter_char", config.replaced_delimiter);
  config.do_lower_case = bool_in(settings, file, "do_lower_case");
  Ids added = added_tokens_in(settings, file);
  added.merge(ids_in(object_if_there(folder / kAddedTokens), folder / kAddedTokens));
  const fs::path vocabulary = folder / kVocabulary;
  return CtcTokenizer(std::move(config), ids_in(vocabulary_in(vocabulary, language), vocabulary), std::move(added));
}

CtcTokenizer CtcTokenizer::of_characters(std::set<char32_t> characters) {
  characters.insert(U' ');
  const Config config{.unknown = "[UNK]", .padding = "[PAD]"};
  Ids vocabulary;
  for (const char32_t c : characters) {
    std::string token;
    text::append_utf8(c, token);
    vocabulary.emplace(c == U' ' ? config.word_delimiter : token, static_cast<int32_t>(vocabulary.size()));
  }
  for (const std::string& token : {config.unknown, config.padding}) {
    vocabulary.emplace(token, static_cast<int32_t>(vocabulary.size()));
  }
  return CtcTokenizer(config, std::move(vocabulary), {});
}

int32_t CtcTokenizer::last_id() const {
  int32_t last = blank_id_;
  for (const auto& [token, id] : vocabulary_) last = std::max(last, id);
  return last;
}

LetterCase CtcTokenizer::letter_case() const {
  bool has_lower = false, has_upper = false;
  for (const auto& [token, id] : vocabulary_) {
    size_t at = 0;
    const char32_t c = token.empty() ? U' ' : text::next_code_point(token, at);
    if (at < token.size()) continue;  // of several characters
    const text::Category category = text::UnicodeTables::get().category(c);
    has_lower |= category == text::Category::kLl;
    has_upper |= category == text::Category::kLu;
  }
  if (has_lower && has_upper) return LetterCase::kBoth;
  return has_upper ? LetterCase::kUpper : LetterCase::kLower;
}

const CtcTokenizer::WholeToken* CtcTokenizer::whole_token_at(std::string_view text) const {
  const auto found =
      std::ranges::find_if(whole_tokens_, [&](const auto& whole) { return text.starts_with(whole.token); });
  return found == whole_tokens_.end() ? nullptr : &*found;
}

int32_t CtcTokenizer::id_of(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? ids_.at(config_.unknown) : found->second;
}

void CtcTokenizer::append_characters(std::string_view text, std::vector<int32_t>& ids) const {
  const std::string characters = config_.do_lower_case ? upper_case(text) : std::string(text);
  for (size_t at = 0; at < characters.size();) {
    const size_t begin = at;
    const bool is_space = text::next_code_point(characters, at) == U' ';
    ids.push_back(id_of(is_space ? config_.word_delimiter : characters.substr(begin, at - begin)));
  }
}

std::vector<int32_t> CtcTokenizer::encode(std::string_view text) const {
  text::require_utf8(text);
  std::vector<int32_t> ids;
  size_t begin = 0;
  bool strips = false;  // whether the whole token before `begin` does
  const auto append_before = [&](size_t end, bool strips_end) {
    std::string piece(text.substr(begin, end - begin));
    if (strips) piece = without_spaces_at_begin(piece);
    if (strips_end) piece = without_spaces_at_end(piece);
    append_characters(piece, ids);
  };
  for (size_t at = 0; at < text.size();) {
    const WholeToken* whole = whole_token_at(text.substr(at));
    if (whole == nullptr) {
      text::next_code_point(text, at);
      continue;
    }
    append_before(at, whole->strips);
    ids.push_back(ids_.at(whole->token));
    begin = at += whole->token.size();
    strips = whole->strips;
  }
  append_before(text.size(), false);
  return ids;
}

const std::string& CtcTokenizer::token_of(int32_t id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? config_.unknown : found->second;
}

std::string CtcTokenizer::text_of(std::span<const int32_t> ids, bool merges_repeats) const {
  std::string text;
  const std::string* last = nullptr;
  for (const int32_t id : ids) {
    const std::string& token = token_of(id);
    const bool repeats = merges_repeats && last != nullptr && *last == token;
    last = &token;
    if (repeats || token == config_.padding) continue;
    text += token == config_.word_delimiter ? config_.replaced_delimiter : token;
  }
  text = stripped(text);
  return config_.do_lower_case ? lower_case(text) : text;
}

std::map<std::string, std::string> CtcTokenizer::files() const {
  Tree added = Tree::object(), special = Tree::object();
  for (const auto& [token, id] : ids_) {
    if (!vocabulary_.contains(token)) added[token] = id;
  }
  special["bos_token"] = config_.bos;
  special["eos_token"] = config_.eos;
  special["pad_token"] = config_.padding;
  special["unk_token"] = config_.unknown;
  Tree settings = special;
  settings["do_lower_case"] = config_.do_lower_case;
  settings["replace_word_delimiter_char"] = config_.replaced_delimiter;
  settings["tokenizer_class"] = "Wav2Vec2CTCTokenizer";
  settings["word_delimiter_token"] = config_.word_delimiter;
  return {{kVocabulary, text_of_json(Tree(vocabulary_))},
          {kAddedTokens, text_of_json(added)},
          {kSpecialTokens, text_of_json(special)},
          {kTokenizerConfig, text_of_json(settings)}};
}

std::map<std::string, std::string> CtcTokenizer::files(const std::string& language, const fs::path& others) const {
  std::map<std::string, std::string> result = files();
  Tree all = object_if_there(others / kVocabulary), settings = Tree::parse(result.at(kTokenizerConfig));
  if (languages_in(all).empty()) all = Tree::object();
  all[language] = vocabulary_;
  settings[kLanguage] = language;
  result[kVocabulary] = text_of_json(all);
  result[kTokenizerConfig] = text_of_json(settings);
  return result;
}

std::string language_of(const fs::path& folder) {
  std::string language;
  read_token(object_if_there(folder / kTokenizerConfig), folder / kTokenizerConfig, kLanguage, language);
  return language;
}

bool has_language(const fs::path& folder, const std::string& language) {
  return contains(languages_in(object_if_there(folder / kVocabulary)), language);
}

}  // namespace portatune::tasks
