// tokenizer.json, format 1.0 of `tokenizers`.
#include "portatune/text/read/components.h"

namespace portatune::text {
namespace {

AddedToken read_added_token(const Json& json) {
  return {.content = std::string(json.at("content").string()),
          .single_word = json.at("single_word").boolean(),
          .lstrip = json.at("lstrip").boolean(),
          .rstrip = json.at("rstrip").boolean(),
          .normalized = json.at("normalized").boolean(),
          .special = json.at("special").boolean()};
}

}  // namespace

TokenizerSpec read_tokenizer_json(const std::filesystem::path& file) { return parse_tokenizer_json(JsonFile(file)); }

TokenizerSpec parse_tokenizer_json(const JsonFile& json) {
  const Json& root = json.root();
  if (const auto version = root.find("version"); version && version->string() != "1.0") version->fail("\"1.0\"");
  TokenizerSpec spec;
  if (const auto normalizer = root.find("normalizer")) spec.normalizer = read_normalizer(*normalizer);
  if (const auto pre_tokenizer = root.find("pre_tokenizer")) spec.pre_tokenizer = read_pre_tokenizer(*pre_tokenizer);
  spec.model = read_model(root.at("model"));
  if (const auto processor = root.find("post_processor")) spec.post_processor = read_post_processor(*processor);
  if (const auto decoder = root.find("decoder")) spec.decoder = read_decoder(*decoder);
  if (const auto tokens = root.find("added_tokens")) {
    tokens->for_each([&](const Json& token) { spec.added_tokens.push_back(read_added_token(token)); });
  }
  return spec;
}

}  // namespace portatune::text
