// vocab.txt: one token per line, with the line number as its id, as in transformers' BertTokenizer.
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
       .expected = "the special tokens that tokenizer_config.json names, or BERT's"});
}

// Adds BertTokenizer's names of special tokens that the config does not name.
TokenizerConfig with_bert_tokens(TokenizerConfig config) {
  const auto name = [](std::optional<AddedToken>& token, const char* content) {
    if (!token) token = AddedToken{.content = content, .special = true};
  };
  name(config.unk_token, "[UNK]");
  name(config.sep_token, "[SEP]");
  name(config.pad_token, "[PAD]");
  name(config.cls_token, "[CLS]");
  name(config.mask_token, "[MASK]");
  return config;
}

}  // namespace

TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& given) {
  const TokenizerConfig config = with_bert_tokens(given);
  const std::string where = file.string();
  Vocabulary vocabulary = read_lines(read_utf8(file), where);
  const int32_t cls_id = id_of(vocabulary, config.cls_token->content, where);
  const int32_t sep_id = id_of(vocabulary, config.sep_token->content, where);
  TokenizerSpec spec;
  spec.normalizer = std::make_unique<BertNormalizer>(
      BertNormalizerOptions{.clean_text = true,
                            .handle_chinese_chars = config.tokenize_chinese_chars,
                            .strip_accents = config.strip_accents.value_or(config.do_lower_case),
                            .lowercase = config.do_lower_case});
  spec.pre_tokenizer = std::make_unique<BertPreTokenizer>();
  WordPieceOptions options{.unk_token = config.unk_token->content};
  spec.decoder = std::make_unique<WordPieceDecoder>(options.continuing_subword_prefix, true);
  spec.model = std::make_unique<WordPiece>(std::move(options), std::move(vocabulary), where);
  spec.post_processor.layout = bert_template(cls_id, sep_id);
  spec.added_tokens = tokens_to_add(config);
  return spec;
}

}  // namespace portatune::text
