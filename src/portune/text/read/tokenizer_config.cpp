// tokenizer_config.json of transformers. Not read by simdjson, which refuses the 1e30 that is written out as an integer
// where a model has no longest input.
#include <nlohmann/json.hpp>

#include "portune/error.h"
#include "portune/io/json_tree.h"
#include "portune/text/read/file.h"
#include "portune/text/read/spec.h"

namespace portune::text {
namespace {

using Tree = nlohmann::ordered_json;

// The fields of an object, with errors that name file and field.
class Fields {
 public:
  Fields(const Tree& tree, const std::string& where) : tree_(tree), where_(where) {}

  // Null if the field is absent or null.
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

  // A token is a string, or an object with the string as "content".
  void read_token(const std::string& key, std::string& token) const {
    if (const Tree* field = find(key)) token = token_of(key, *field);
  }

  std::vector<AddedToken> read_added_tokens() const {
    std::vector<AddedToken> tokens;
    if (const Tree* by_id = find("added_tokens_decoder")) {
      if (!by_id->is_object()) fail("added_tokens_decoder", *by_id, "an object");
      for (const auto& [id, token] : by_id->items()) {
        tokens.push_back({.content = token_of("added_tokens_decoder." + id, token)});
        const Fields flags(token, where_);
        flags.read("single_word", tokens.back().single_word);
        flags.read("lstrip", tokens.back().lstrip);
        flags.read("rstrip", tokens.back().rstrip);
        flags.read("normalized", tokens.back().normalized);
      }
    }
    const std::string key = "additional_special_tokens";
    if (const Tree* list = find(key)) {
      if (!list->is_array()) fail(key, *list, "a list of tokens");
      for (const Tree& token : *list) tokens.push_back({.content = token_of(key, token)});
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
  std::string token_of(const std::string& key, const Tree& token) const {
    const Tree& content = token.is_object() && token.contains("content") ? token["content"] : token;
    if (!content.is_string()) fail(key, token, "a token, as a string or as an object with a string \"content\"");
    return content.get<std::string>();
  }

  const Tree& tree_;
  const std::string& where_;
};

}  // namespace

TokenizerConfig read_tokenizer_config(const std::filesystem::path& file) {
  TokenizerConfig config;
  if (!std::filesystem::exists(file)) return config;
  const std::string where = file.string();
  const Tree tree = io::parse_json_object(read_file(file), where);
  const Fields fields(tree, where);
  fields.read_token("pad_token", config.pad_token);
  fields.read_token("unk_token", config.unk_token);
  fields.read_token("cls_token", config.cls_token);
  fields.read_token("sep_token", config.sep_token);
  fields.read_token("mask_token", config.mask_token);
  config.added_tokens = fields.read_added_tokens();
  config.model_max_length = fields.read_max_length();
  fields.read("do_lower_case", config.do_lower_case);
  fields.read("tokenize_chinese_chars", config.tokenize_chinese_chars);
  if (fields.find("strip_accents") != nullptr) fields.read("strip_accents", config.strip_accents.emplace());
  return config;
}

}  // namespace portune::text
