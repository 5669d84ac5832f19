// tokenizer.json, format 1.0 of `tokenizers`.
#include <limits>

#include "portune/error.h"
#include "portune/text/read/json.h"
#include "portune/text/read/spec.h"

namespace portune::text {
namespace {

constexpr int64_t kMaxId = 4 * kMaxTokens;

// What a component calls itself; the caller names the ones that it knows.
std::string_view type_of(const Json& component) { return component.at("type").string(); }

[[noreturn]] void throw_unknown(const Json& component, const std::string& what, const std::string& known) {
  throw CheckpointError({.where = component.file(),
                         .given = what + " \"" + std::string(type_of(component)) + "\"",
                         .expected = known + ": Portune has no other " + what + " yet"});
}

BertNormalizerOptions read_normalizer(const std::optional<Json>& normalizer) {
  if (!normalizer) return {};
  if (type_of(*normalizer) != "BertNormalizer") throw_unknown(*normalizer, "normalizer", "BertNormalizer or none");
  const bool lowercase = normalizer->at("lowercase").boolean();
  return {.clean_text = normalizer->at("clean_text").boolean(),
          .handle_chinese_chars = normalizer->at("handle_chinese_chars").boolean(),
          .strip_accents = normalizer->boolean_or("strip_accents", lowercase),
          .lowercase = lowercase};
}

void check_pre_tokenizer(const Json& pre_tokenizer) {
  if (type_of(pre_tokenizer) != "BertPreTokenizer") {
    throw_unknown(pre_tokenizer, "pre_tokenizer", "BertPreTokenizer");
  }
}

Vocabulary read_vocabulary(const Json& json) {
  const simdjson::dom::object tokens = json.object();
  // The parser's own count stops at 2^24 - 1, which is beyond what is allowed here.
  if (static_cast<int64_t>(tokens.size()) > kMaxTokens) {
    throw CheckpointError({.where = json.file(),
                           .given = "more than " + std::to_string(kMaxTokens) + " tokens in model.vocab",
                           .expected = "a vocabulary that a model can have"});
  }
  Vocabulary vocabulary;
  vocabulary.reserve(tokens.size(), 8 * tokens.size());
  for (const auto [token, id] : tokens) {
    const Json field = json.member(token.substr(0, 60), id);
    if (static_cast<int64_t>(token.size()) > kMaxTokenBytes) field.fail("a token of at most 65536 bytes");
    vocabulary.add(token, static_cast<int32_t>(field.integer(0, kMaxId)));
  }
  return vocabulary;
}

WordPieceOptions read_wordpiece(const Json& model) {
  if (type_of(model) != "WordPiece") throw_unknown(model, "model", "WordPiece");
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  return {.unk_token = std::string(model.at("unk_token").string()),
          .continuing_subword_prefix = std::string(model.at("continuing_subword_prefix").string()),
          .max_input_chars_per_word = model.at("max_input_chars_per_word").integer(0, kNoLimit)};
}

AddedToken read_added_token(const Json& json) {
  return {.content = std::string(json.at("content").string()),
          .single_word = json.at("single_word").boolean(),
          .lstrip = json.at("lstrip").boolean(),
          .rstrip = json.at("rstrip").boolean(),
          .normalized = json.at("normalized").boolean()};
}

std::vector<AddedToken> read_added_tokens(const std::optional<Json>& json) {
  std::vector<AddedToken> tokens;
  if (!json) return tokens;
  for (const auto element : json->array()) {
    tokens.push_back(read_added_token(json->member(std::to_string(tokens.size()), element)));
  }
  return tokens;
}

std::vector<int32_t> read_special_ids(const Json& processor, std::string_view name) {
  std::vector<int32_t> ids;
  const Json list = processor.at("special_tokens").at(name).at("ids");
  for (const auto id : list.array()) {
    ids.push_back(static_cast<int32_t>(list.member(std::to_string(ids.size()), id).integer(0, kMaxId)));
  }
  return ids;
}

Template::Part read_part(const Json& processor, const Json& piece, bool pair) {
  constexpr int64_t kMaxType = std::numeric_limits<int32_t>::max();
  const auto sequence = piece.find("Sequence");
  const Json fields = sequence ? *sequence : piece.at("SpecialToken");
  Template::Part part{.type_id = static_cast<int32_t>(fields.at("type_id").integer(0, kMaxType))};
  const std::string_view id = fields.at("id").string();
  if (!sequence) {
    part.special_ids = read_special_ids(processor, id);
  } else if (id == "A" || (id == "B" && pair)) {
    part.sequence = id == "A" ? 0 : 1;
  } else {
    fields.fail(pair ? "the sequence A or B" : "the sequence A");
  }
  return part;
}

std::vector<Template::Part> read_parts(const Json& processor, std::string_view key) {
  std::vector<Template::Part> parts;
  const Json list = processor.at(key);
  for (const auto element : list.array()) {
    parts.push_back(read_part(processor, list.member(std::to_string(parts.size()), element), key == "pair"));
  }
  return parts;
}

// BertProcessing has its tokens as ["[SEP]", 102].
int32_t read_token_and_id(const Json& json) {
  const simdjson::dom::array pair = json.array();
  if (pair.size() != 2) json.fail("a token and its id");
  return static_cast<int32_t>(json.member("1", pair.at(1)).integer(0, kMaxId));
}

Template read_post_processor(const std::optional<Json>& processor) {
  if (!processor) return plain_template();
  const std::string_view type = type_of(*processor);
  if (type == "BertProcessing") {
    return bert_template(read_token_and_id(processor->at("cls")), read_token_and_id(processor->at("sep")));
  }
  if (type != "TemplateProcessing") {
    throw_unknown(*processor, "post_processor", "TemplateProcessing, BertProcessing or none");
  }
  return {.single = read_parts(*processor, "single"), .pair = read_parts(*processor, "pair")};
}

}  // namespace

TokenizerSpec read_tokenizer_json(const std::filesystem::path& file) {
  const JsonFile json(file);
  const Json& root = json.root();
  if (const auto version = root.find("version"); version && version->string() != "1.0") version->fail("\"1.0\"");
  const Json model = root.at("model");
  TokenizerSpec spec{.where = file.string(),
                     .normalizer = read_normalizer(root.find("normalizer")),
                     .model = read_wordpiece(model),
                     .vocabulary = read_vocabulary(model.at("vocab")),
                     .added_tokens = read_added_tokens(root.find("added_tokens")),
                     .post_processor = read_post_processor(root.find("post_processor"))};
  check_pre_tokenizer(root.at("pre_tokenizer"));
  return spec;
}

}  // namespace portune::text
