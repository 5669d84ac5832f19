// vocab.txt: one token per line, with the line number as its id, as in transformers' BertTokenizer and MPNetTokenizer.
#include "portatune/error.h"
#include "portatune/text/decode/pieces.h"
#include "portatune/text/model/wordpiece.h"
#include "portatune/text/normalize/bert.h"
#include "portatune/text/pretokenize/bert.h"
#include "portatune/text/read/file.h"
#include "portatune/text/read/spec.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

std::string read_utf8(const std::filesystem::path& file) {
  std::string text = read_file(file);
  try {
    require_utf8(text);
  } catch (const DataError& error) {
    Report report = error.report();
    report.where = file.string();
    throw CheckpointError(report);
  }
  return text;
}

Vocabulary read_lines(std::string_view text, const std::string& where) {
  Vocabulary vocabulary;
  int32_t line = 0;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view token = text.substr(begin, end - begin);
    if (token.ends_with('\r')) token.remove_suffix(1);
    if (static_cast<int64_t>(token.size()) > kMaxTokenBytes || line == kMaxTokens) {
      throw CheckpointError({.where = where + ":" + std::to_string(line + 1),
                             .given = "a token of " + std::to_string(token.size()) + " bytes",
                             .expected = "at most 4000000 tokens of at most 65536 bytes, one per line"});
    }
    vocabulary.add(token, line);
    begin = end + 1;
  }
  return vocabulary;
}

int32_t id_of(const Vocabulary& vocabulary, const std::string& token, const std::string& where) {
  if (const auto id = vocabulary.find(token)) return *id;
  throw CheckpointError(
      {.where = where,
       .given = "a vocabulary of " + std::to_string(vocabulary.size()) + " tokens without \"" + token + "\"",
       .expected = "the special tokens that tokenizer_config.json names, or those of its tokenizer_class"});
}

// The special tokens of a class of transformers.
struct SpecialTokens {
  const char *unk, *sep, *pad, *cls;
  AddedToken mask;
};

bool is_mpnet(const TokenizerConfig& config) { return config.tokenizer_class == "MPNetTokenizer"; }

SpecialTokens tokens_of_class(const TokenizerConfig& config) {
  if (is_mpnet(config))
    return {"[UNK]", "</s>", "<pad>", "<s>", {.content = "<mask>", .lstrip = true, .special = true}};
  return {"[UNK]", "[SEP]", "[PAD]", "[CLS]", {.content = "[MASK]", .special = true}};
}

// Adds the class's special tokens that the config does not name.
TokenizerConfig with_tokens_of_class(TokenizerConfig config) {
  const SpecialTokens tokens = tokens_of_class(config);
  const auto name = [](std::optional<AddedToken>& token, const char* content) {
    if (!token) token = AddedToken{.content = content, .special = true};
  };
  name(config.unk_token, tokens.unk);
  name(config.sep_token, tokens.sep);
  name(config.pad_token, tokens.pad);
  name(config.cls_token, tokens.cls);
  if (!config.mask_token) config.mask_token = tokens.mask;
  return config;
}

}  // namespace

TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& given) {
  const TokenizerConfig config = with_tokens_of_class(given);
  const bool lowercase = config.do_lower_case.value_or(true);
  const std::string where = file.string();
  Vocabulary vocabulary = read_lines(read_utf8(file), where);
  const int32_t cls_id = id_of(vocabulary, config.cls_token->content, where);
  const int32_t sep_id = id_of(vocabulary, config.sep_token->content, where);
  TokenizerSpec spec;
  spec.normalizer =
      std::make_unique<BertNormalizer>(BertNormalizerOptions{.clean_text = true,
                                                             .handle_chinese_chars = config.tokenize_chinese_chars,
                                                             .strip_accents = config.strip_accents.value_or(lowercase),
                                                             .lowercase = lowercase});
  spec.pre_tokenizer = std::make_unique<BertPreTokenizer>();
  WordPieceOptions options{.unk_token = config.unk_token->content};
  spec.decoder = std::make_unique<WordPieceDecoder>(options.continuing_subword_prefix, true);
  spec.model = std::make_unique<WordPiece>(std::move(options), std::move(vocabulary), where);
  spec.post_processor.layout = is_mpnet(config) ? roberta_template(cls_id, sep_id) : bert_template(cls_id, sep_id);
  spec.added_tokens = tokens_to_add(config);
  return spec;
}

}  // namespace portatune::text
