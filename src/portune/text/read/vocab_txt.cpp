// vocab.txt: one token a line, its id is the number of the line; as transformers' BertTokenizer reads it.
#include "portune/error.h"
#include "portune/text/read/file.h"
#include "portune/text/read/spec.h"
#include "portune/text/unicode/utf8.h"

namespace portune::text {
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
                             .expected = "at most 4000000 tokens of at most 65536 bytes, one a line"});
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

}  // namespace

TokenizerSpec read_vocab_txt(const std::filesystem::path& file, const TokenizerConfig& config) {
  TokenizerSpec spec;
  spec.where = file.string();
  spec.vocabulary = read_lines(read_utf8(file), spec.where);
  spec.model.unk_token = config.unk_token;
  spec.normalizer = {.clean_text = true,
                     .handle_chinese_chars = config.tokenize_chinese_chars,
                     .strip_accents = config.strip_accents.value_or(config.do_lower_case),
                     .lowercase = config.do_lower_case};
  spec.added_tokens = config.added_tokens;
  for (const auto* token :
       {&config.unk_token, &config.sep_token, &config.pad_token, &config.cls_token, &config.mask_token}) {
    spec.added_tokens.push_back({.content = *token});
  }
  const int32_t cls_id = id_of(spec.vocabulary, config.cls_token, spec.where);
  spec.post_processor = bert_template(cls_id, id_of(spec.vocabulary, config.sep_token, spec.where));
  return spec;
}

}  // namespace portune::text
