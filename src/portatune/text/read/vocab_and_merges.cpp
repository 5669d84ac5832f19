// vocab.json and merges.txt: byte-level models, by the rules of transformers' GPT2Tokenizer and RobertaTokenizer.
#include "portatune/error.h"
#include "portatune/text/decode/bytes.h"
#include "portatune/text/model/bpe.h"
#include "portatune/text/pretokenize/byte_level.h"
#include "portatune/text/read/added_ids.h"
#include "portatune/text/read/components.h"
#include "portatune/text/read/file.h"
#include "portatune/text/read/merges.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// The classes with these rules, by tokenizer_class.
enum class Rules { kGpt2, kRoberta };

Rules rules_of(const TokenizerConfig& config, const std::string& where) {
  const std::string& name = config.tokenizer_class;
  if (name == "RobertaTokenizer" || name == "LongformerTokenizer" || name == "BartTokenizer") return Rules::kRoberta;
  if (name.empty() || name == "GPT2Tokenizer" || name == "PreTrainedTokenizer" || name == "TokenizersBackend") {
    return Rules::kGpt2;
  }
  throw CheckpointError({.where = where,
                         .given = "tokenizer_class \"" + name + "\"",
                         .expected = "GPT2Tokenizer or RobertaTokenizer",
                         .fix = "save the tokenizer with transformers, which writes tokenizer.json"});
}

// Adds the class's names of special tokens that the config does not name.
TokenizerConfig with_names(TokenizerConfig config, Rules rules) {
  const auto name = [](std::optional<AddedToken>& token, const char* content) {
    if (!token) token = AddedToken{.content = content, .special = true};
  };
  const bool roberta = rules == Rules::kRoberta;
  name(config.bos_token, roberta ? "<s>" : "<|endoftext|>");
  name(config.eos_token, roberta ? "</s>" : "<|endoftext|>");
  name(config.unk_token, roberta ? "<unk>" : "<|endoftext|>");
  if (!roberta) return config;
  name(config.sep_token, "</s>");
  name(config.pad_token, "<pad>");
  name(config.cls_token, "<s>");
  name(config.mask_token, "<mask>");
  return config;
}

Bpe::Pairs read_merges(std::string_view text, const std::string& where) {
  Bpe::Pairs merges;
  int64_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view merge = text.substr(begin, end - begin);
    begin = end + 1;
    if (merge.ends_with('\r')) merge.remove_suffix(1);
    if (merge.empty() || merge.starts_with(kVersionLine)) continue;
    const auto pair = split_merge(merge);
    if (!pair) {
      throw CheckpointError({.where = where + ":" + std::to_string(line),
                             .given = "\"" + std::string(merge.substr(0, 60)) + "\"",
                             .expected = "two tokens with a space between them"});
    }
    merges.push_back(*pair);
  }
  return merges;
}

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_file(file);
  if (is_utf8(text)) return text;
  throw CheckpointError({.where = file.string(), .given = "bytes that are not UTF-8", .expected = "UTF-8"});
}

}  // namespace

TokenizerSpec read_vocab_and_merges(const std::filesystem::path& folder, const TokenizerConfig& given) {
  const std::string where = (folder / "vocab.json").string();
  const Rules rules = rules_of(given, (folder / "tokenizer_config.json").string());
  const TokenizerConfig config = with_names(given, rules);
  const JsonFile vocabulary(folder / "vocab.json");
  const std::string merges = read_text(folder / "merges.txt");
  const bool add_prefix_space = config.add_prefix_space.value_or(false);
  TokenizerSpec spec;
  spec.pre_tokenizer = std::make_unique<ByteLevelPreTokenizer>(ByteLevelOptions{.add_prefix_space = add_prefix_space});
  spec.model = std::make_unique<Bpe>(BpeOptions{}, read_vocabulary(vocabulary.root()),
                                     read_merges(merges, (folder / "merges.txt").string()), where);
  spec.decoder = std::make_unique<ByteLevelDecoder>();
  spec.added_tokens = tokens_to_add(config);
  const auto id = [&](const AddedToken& token) {
    return id_of_added(*spec.model, spec.added_tokens, token.content, where);
  };
  if (rules == Rules::kRoberta) {
    spec.post_processor.layout = roberta_template(id(*config.cls_token), id(*config.sep_token));
    if (config.trim_offsets.value_or(true)) spec.post_processor.trims.push_back({.add_prefix_space = add_prefix_space});
  } else {
    const bool bos = config.add_bos_token.value_or(false), eos = config.add_eos_token.value_or(false);
    spec.post_processor.layout = bos_eos_template(bos ? std::optional(id(*config.bos_token)) : std::nullopt,
                                                  eos ? std::optional(id(*config.eos_token)) : std::nullopt);
  }
  return spec;
}

}  // namespace portatune::text
