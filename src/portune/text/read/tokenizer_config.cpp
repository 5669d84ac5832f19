// tokenizer_config.json of transformers.
#include "portune/text/read/json.h"
#include "portune/text/read/spec.h"

namespace portune::text {
namespace {

// A token is a string, or an object with the string as "content".
std::string token_of(const Json& json) {
  return std::string(json.is_string() ? json.string() : json.at("content").string());
}

void read_token(const Json& root, std::string_view key, std::string& token) {
  if (const auto value = root.find(key)) token = token_of(*value);
}

// "No limit" is written as 1e30, as an integer or not.
std::optional<int64_t> read_max_length(const Json& root) {
  constexpr double kUnlimited = 1e9;
  const auto value = root.find("model_max_length");
  if (!value || value->number() > kUnlimited) return std::nullopt;
  return value->integer(1, static_cast<int64_t>(kUnlimited));
}

}  // namespace

TokenizerConfig read_tokenizer_config(const std::filesystem::path& file) {
  TokenizerConfig config;
  if (!std::filesystem::exists(file)) return config;
  const JsonFile json(file);
  const Json& root = json.root();
  read_token(root, "pad_token", config.pad_token);
  read_token(root, "unk_token", config.unk_token);
  read_token(root, "cls_token", config.cls_token);
  read_token(root, "sep_token", config.sep_token);
  read_token(root, "mask_token", config.mask_token);
  if (const auto list = root.find("additional_special_tokens")) {
    for (const auto token : list->array()) {
      config.additional_special_tokens.push_back(token_of(list->member("additional_special_tokens", token)));
    }
  }
  config.model_max_length = read_max_length(root);
  config.do_lower_case = root.boolean_or("do_lower_case", config.do_lower_case);
  config.tokenize_chinese_chars = root.boolean_or("tokenize_chinese_chars", config.tokenize_chinese_chars);
  if (const auto strip = root.find("strip_accents")) config.strip_accents = strip->boolean();
  return config;
}

}  // namespace portune::text
