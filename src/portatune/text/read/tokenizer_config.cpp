// Reads transformers' tokenizer_config.json and special_tokens_map.json. It does not use simdjson, which refuses 1e30
// spelled out as an integer, the value for a model without a maximal length.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/io/text/json_tree.h"
#include "portatune/text/read/file.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {
namespace {

using Tree = nlohmann::ordered_json;

// The fields of an object, with errors that name file and field.
class Fields {
 public:
  Fields(const Tree& tree, const std::string& where) : tree_(tree), where_(where) {}

  // The field; null if it is absent or null.
  const Tree* find(const std::string& key) const {
    const auto found = tree_.find(key);
    return found == tree_.end() || found->is_null() ? nullptr : &*found;
  }

  [[noreturn]] void fail(const std::string& key, const Tree& value, const std::string& expected) const {
    throw CheckpointError({.where = where_, .given = key + " = " + value.dump().substr(0, 60), .expected = expected});
  }

  void read(const std::string& key, bool& value) const {
    const Tree* field = find(key);
    if (field == nullptr) return;
    if (!field->is_boolean()) fail(key, *field, "true or false");
    value = field->get<bool>();
  }
  void read(const std::string& key, std::optional<bool>& value) const {
    if (find(key) != nullptr) read(key, value.emplace());
  }
  void read(const std::string& key, std::string& value) const {
    const Tree* field = find(key);
    if (field == nullptr) return;
    if (!field->is_string()) fail(key, *field, "a string");
    value = field->get<std::string>();
  }

  void read(const std::string& key, int64_t& value) const {
    constexpr int64_t kMaxValue = 1'000'000;
    const Tree* field = find(key);
    if (field == nullptr) return;
    if (!field->is_number_integer() || field->get<int64_t>() < 0 || field->get<int64_t>() > kMaxValue) {
      fail(key, *field, "a number of tokens");
    }
    value = field->get<int64_t>();
  }

  // Reads a token unless it is known already.
  void read_token(const std::string& key, std::optional<AddedToken>& token) const {
    const Tree* field = find(key);
    if (field == nullptr || token) return;
    token = token_of(key, *field);
    token->special = true;
  }

  std::vector<AddedToken> read_added_tokens() const {
    std::vector<AddedToken> tokens;
    if (const Tree* by_id = find("added_tokens_decoder")) {
      if (!by_id->is_object()) fail("added_tokens_decoder", *by_id, "an object");
      for (const auto& [id, token] : by_id->items()) tokens.push_back(token_of("added_tokens_decoder." + id, token));
    }
    for (const std::string key : {"additional_special_tokens", "extra_special_tokens"}) {
      const Tree* list = find(key);
      if (list == nullptr) continue;
      if (!list->is_array() && !list->is_object()) fail(key, *list, "a list of tokens");
      for (const Tree& token : *list) {
        tokens.push_back(token_of(key, token));
        tokens.back().special = true;
      }
    }
    return tokens;
  }

  std::optional<int64_t> read_max_length() const {
    constexpr double kUnlimited = 1e9;
    const Tree* field = find("model_max_length");
    if (field == nullptr) return std::nullopt;
    if (!field->is_number() || field->get<double>() < 1) fail("model_max_length", *field, "a length of at least 1");
    const double length = field->get<double>();
    return length > kUnlimited ? std::nullopt : std::optional(static_cast<int64_t>(length));
  }

 private:
  // Reads a token: a string, or an object with the string as "content".
  AddedToken token_of(const std::string& key, const Tree& token) const {
    const bool is_object = token.is_object() && token.contains("content");
    const Tree& content = is_object ? token["content"] : token;
    if (!content.is_string()) fail(key, token, "a token, as a string or as an object with a string \"content\"");
    AddedToken result{.content = content.get<std::string>()};
    if (!is_object) return result;
    const Fields flags(token, where_);
    flags.read("single_word", result.single_word);
    flags.read("lstrip", result.lstrip);
    flags.read("rstrip", result.rstrip);
    flags.read("normalized", result.normalized);
    flags.read("special", result.special);
    return result;
  }

  const Tree& tree_;
  const std::string& where_;
};

void read_special_tokens(const Fields& fields, TokenizerConfig& config) {
  fields.read_token("bos_token", config.bos_token);
  fields.read_token("eos_token", config.eos_token);
  fields.read_token("unk_token", config.unk_token);
  fields.read_token("sep_token", config.sep_token);
  fields.read_token("pad_token", config.pad_token);
  fields.read_token("cls_token", config.cls_token);
  fields.read_token("mask_token", config.mask_token);
}

void read_fields(const Fields& fields, TokenizerConfig& config) {
  read_special_tokens(fields, config);
  config.added_tokens = fields.read_added_tokens();
  config.model_max_length = fields.read_max_length();
  fields.read("tokenizer_class", config.tokenizer_class);
  if (config.tokenizer_class.ends_with("Fast")) config.tokenizer_class.resize(config.tokenizer_class.size() - 4);
  fields.read("src_lang", config.src_lang);
  fields.read("tgt_lang", config.tgt_lang);
  fields.read("clean_up_tokenization_spaces", config.clean_up_tokenization_spaces);
  fields.read("do_lower_case", config.do_lower_case);
  fields.read("tokenize_chinese_chars", config.tokenize_chinese_chars);
  fields.read("split_by_punct", config.split_by_punct);
  fields.read("strip_accents", config.strip_accents);
  fields.read("add_prefix_space", config.add_prefix_space);
  fields.read("trim_offsets", config.trim_offsets);
  fields.read("add_bos_token", config.add_bos_token);
  fields.read("add_eos_token", config.add_eos_token);
  fields.read("keep_accents", config.keep_accents);
  fields.read("legacy", config.legacy);
  fields.read("extra_ids", config.extra_ids);
  fields.read("separate_vocabs", config.separate_vocabs);
}

// Calls read(fields) if the file exists.
template <class Read>
void read_file_if_there(const std::filesystem::path& file, Read&& read) {
  if (!std::filesystem::exists(file)) return;
  const std::string where = file.string();
  const Tree tree = io::parse_json_object(read_file(file), where);
  read(Fields(tree, where));
}

}  // namespace

TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder) {
  TokenizerConfig config;
  read_file_if_there(folder / "tokenizer_config.json", [&](const Fields& fields) { read_fields(fields, config); });
  read_file_if_there(folder / "special_tokens_map.json",
                     [&](const Fields& fields) { read_special_tokens(fields, config); });
  return config;
}

std::vector<AddedToken> tokens_to_add(const TokenizerConfig& config) {
  std::vector<AddedToken> tokens = config.added_tokens;
  for (const auto* token : {&config.bos_token, &config.eos_token, &config.unk_token, &config.sep_token,
                            &config.pad_token, &config.cls_token, &config.mask_token}) {
    if (!*token) continue;
    const bool known = std::any_of(tokens.begin(), tokens.end(),
                                   [&](const AddedToken& other) { return other.content == (*token)->content; });
    if (!known) tokens.push_back(**token);
  }
  return tokens;
}

}  // namespace portatune::text
