// Training of a tokenizer on texts, as in Hugging Face `tokenizers`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/option_fields.h"

namespace portatune {
class ThreadPool;
}

namespace portatune::text {

/// The model of a trained tokenizer, and the stages around it.
enum class TokenizerType {
  kWordPiece,  ///< as BERT: BertNormalizer, BertPreTokenizer, tokens inside of words begin with ##
  kBpe,        ///< merges of bytes, as GPT-2 and RoBERTa: a text has no unknown characters
  kUnigram     ///< pieces with probabilities, as SentencePiece has for ALBERT and T5; ▁ stands for a space
};

constexpr auto names_of(TokenizerType) {
  return std::to_array<NamedValue<TokenizerType>>(
      {{TokenizerType::kWordPiece, "wordpiece"}, {TokenizerType::kBpe, "bpe"}, {TokenizerType::kUnigram, "unigram"}});
}

/// Names and defaults of the trainers of `tokenizers`.
struct TokenizerTrainingOptions {
  TokenizerType type = TokenizerType::kWordPiece;
  int64_t vocab_size = 30000;     ///< tokens, special ones included; fewer if the texts have fewer
  int64_t min_frequency = 2;      ///< a pair of tokens that occurs less often is not merged; not for kUnigram
  int64_t limit_alphabet = 1000;  ///< kWordPiece: characters to keep, the most frequent ones
  bool lowercase = false;         ///< texts are lowercased; kWordPiece then also strips accents, as BERT
  /// The first tokens. Empty: [PAD], [UNK], [CLS], [SEP], [MASK] for kWordPiece, <s>, <pad>, </s>, <unk>, <mask> for
  /// kBpe, <pad>, <unk>, [CLS], [SEP], [MASK] for kUnigram. Those of these names get their usual roles. Texts get [CLS]
  /// and [SEP], for kBpe <s> and </s>, if both are there.
  std::vector<std::string> special_tokens = {};

  void describe(OptionFields& fields);
};

/// The files of a trained tokenizer, which transformers and Tokenizer::load() read.
struct TokenizerFiles {
  std::string tokenizer_json, tokenizer_config_json;
  int64_t vocab_size = 0;
};

/// Counts the words of texts, and learns a vocabulary of them. Only the counts are in memory.
///     TokenizerTrainer trainer({.vocab_size = 8000});
///     trainer.add(texts, pool);
///     const TokenizerFiles files = trainer.train(pool);
/// source  Sennrich et al. 2016, arXiv:1508.07909, section 3.2; Kudo 2018, arXiv:1804.10959, section 3.2
class TokenizerTrainer {
 public:
  /// errors  UsageError for options out of range, a special token twice, or kWordPiece and kUnigram without [UNK] and <unk>
  explicit TokenizerTrainer(const TokenizerTrainingOptions& options);
  ~TokenizerTrainer();

  /// Counts the words of texts in UTF-8, each of which is tokenized by itself.
  /// errors  DataError for a text that is not UTF-8
  void add(std::span<const std::string> texts, ThreadPool& pool);
  /// The result depends on the counts alone, not on the order of the texts or the threads. Of pairs with the same
  /// count, the one with the smaller ids is merged first, as in `tokenizers`. Ids are those of `tokenizers`, except
  /// that tokens of one character that begin with ## follow the order of these characters, not of a hash table.
  /// errors  DataError if the texts have no words; UsageError for a vocab_size below special tokens and characters
  TokenizerFiles train(ThreadPool& pool) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune::text
