#include <algorithm>
#include <set>

#include "portatune/error.h"
#include "portatune/text.h"
#include "portatune/text/byte_level.h"
#include "portatune/text/read/components.h"
#include "portatune/text/train/tokenizer_files.h"
#include "portatune/text/train/word_counts.h"

namespace portatune::text {
namespace {

std::vector<std::string> default_tokens(TokenizerType type) {
  if (type == TokenizerType::kBpe) return {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
  if (type == TokenizerType::kUnigram) return {"<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"};
  return {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
}

TokenizerTrainingOptions checked(TokenizerTrainingOptions options) {
  check_ranges(options);
  std::vector<std::string>& tokens = options.special_tokens;
  if (tokens.empty()) tokens = default_tokens(options.type);
  const auto refuse = [](std::string given, std::string expected) {
    throw UsageError({.where = "special_tokens", .given = std::move(given), .expected = std::move(expected)});
  };
  std::set<std::string> seen;
  for (const std::string& token : tokens) {
    if (!seen.insert(token).second) refuse(token + " twice", "each token once");
  }
  const auto require = [&](TokenizerType type, const std::string& unknown) {
    if (options.type == type && !seen.contains(unknown)) {
      refuse("no " + unknown, unknown + " among the special tokens of " + name_in_table(type));
    }
  };
  require(TokenizerType::kWordPiece, "[UNK]");
  require(TokenizerType::kUnigram, "<unk>");
  return options;
}

// A component, by the reader of tokenizer.json.
template <class Read>
auto component(const OrderedJson& json, Read read) -> decltype(read(std::declval<const Json&>())) {
  if (json.is_null()) return nullptr;
  return read(JsonFile(json.dump(), "trained tokenizer").root());
}

MergeOptions merge_options(const TokenizerTrainingOptions& options) {
  MergeOptions merges{.vocab_size = static_cast<size_t>(options.vocab_size),
                      .min_frequency = options.min_frequency,
                      .special_tokens = options.special_tokens,
                      .initial_alphabet = {},
                      .limit_alphabet = 0,
                      .continuing_subword_prefix = ""};
  if (options.type == TokenizerType::kWordPiece) {
    merges.limit_alphabet = static_cast<size_t>(options.limit_alphabet);
    merges.continuing_subword_prefix = "##";
  } else {
    for (int byte = 0; byte < 256; ++byte) {
      merges.initial_alphabet.push_back(character_of_byte(static_cast<unsigned char>(byte)));
    }
  }
  return merges;
}

}  // namespace

void TokenizerTrainingOptions::describe(OptionFields& fields) {
  fields.group("Vocabulary");
  fields("type", type, "wordpiece, as BERT; bpe, of bytes, as GPT-2 and RoBERTa; unigram, as SentencePiece for ALBERT");
  fields("vocab_size", vocab_size, "tokens, special ones included", {.lowest = 1, .highest = 4e6});
  fields("min_frequency", min_frequency, "pairs of tokens that occur less often are not merged, except for unigram",
         {.lowest = 0});
  fields("special_tokens", special_tokens, "the first tokens: A,B,...",
         {.default_help = "those of BERT, RoBERTa or ALBERT"});
  fields("limit_alphabet", limit_alphabet, "characters that wordpiece keeps, the most frequent ones", {.lowest = 1});
  fields("lowercase", lowercase, "lowercase texts; wordpiece then also strips accents");
}

struct TokenizerTrainer::Impl {
  explicit Impl(const TokenizerTrainingOptions& given)
      : options(checked(given)),
        words(component(normalizer_of(options), read_normalizer),
              component(pre_tokenizer_of(options), read_pre_tokenizer)) {}

  const TokenizerTrainingOptions options;
  WordCounter words;
};

TokenizerTrainer::TokenizerTrainer(const TokenizerTrainingOptions& options) : impl_(std::make_unique<Impl>(options)) {}
TokenizerTrainer::~TokenizerTrainer() = default;

void TokenizerTrainer::add(std::span<const std::string> texts, ThreadPool& pool) { impl_->words.add(texts, pool); }

TokenizerFiles TokenizerTrainer::train(ThreadPool& pool) const {
  const std::vector<WordCount> counts = impl_->words.counts();
  if (counts.empty()) {
    throw DataError({.where = "training of a tokenizer", .given = "texts without a word", .expected = "words"});
  }
  const TokenizerTrainingOptions& options = impl_->options;
  if (options.type != TokenizerType::kUnigram) {
    return tokenizer_files(options, learn_merges(counts, merge_options(options)));
  }
  const auto vocab_size = static_cast<size_t>(options.vocab_size);
  std::vector<ScoredPiece> pieces = learn_pieces(counts, vocab_size, options.special_tokens.size(), pool);
  std::erase_if(pieces, [&](const ScoredPiece& piece) {  // a token has one id
    return std::ranges::find(options.special_tokens, piece.text) != options.special_tokens.end();
  });
  return tokenizer_files(options, pieces);
}

}  // namespace portatune::text
