// Conversion of text to token ids, and training of tokenizers, with the results of Hugging Face `tokenizers`.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/option_fields.h"

namespace portatune {
class ThreadPool;
}

namespace portatune::text {

/// The range [begin, end) of a token in its text, in Unicode code points from the start of the text.
struct Offsets {
  int32_t begin = 0, end = 0;
  bool operator==(const Offsets&) const = default;
};

/// A tokenized text or pair of texts: one element per token in each vector.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;             ///< 0 or 1, from the tokenizer's template ("token_type_ids")
  std::vector<int32_t> special_tokens_mask;  ///< 1 for tokens that the template adds
  std::vector<int32_t> sequence_ids;         ///< 0 first text, 1 second text, -1 added by the template
  // These two vectors are empty unless EncodeOptions::with_offsets is set.
  std::vector<Offsets> offsets;   ///< range of the token in its text; {0, 0} if the template adds it
  std::vector<int32_t> word_ids;  ///< index of the word in its text; -1 if the template adds the token
};

/// The texts from whose end truncation drops tokens when an example is too long.
enum class TruncationStrategy {
  kLongestFirst,  ///< the longer text until both are equally long, then both in turn
  kOnlyFirst,     ///< the first text; DataError if that is not enough
  kOnlySecond,    ///< the second text; DataError if that is not enough, UsageError if there is none
  kDoNotTruncate
};

struct EncodeOptions {
  int64_t max_length = 0;  ///< maximal number of tokens, with those of the template; 0: no limit
  TruncationStrategy truncation = TruncationStrategy::kLongestFirst;
  bool add_special_tokens = true;  ///< add the tokens of the template: [CLS] first [SEP] second [SEP]
  bool with_offsets = false;       ///< fill `offsets` and `word_ids`, which costs time
};

struct DecodeOptions {
  bool skip_special_tokens = false;  ///< leave out added tokens that are special, such as [CLS]
  /// Remove spaces before English punctuation and contractions. By default tokenizer_config.json decides, except that
  /// BPE models never do, as in transformers.
  std::optional<bool> clean_up_tokenization_spaces = {};
};

/// One text, or two that belong together. A TextPair does not own them.
struct TextPair {
  std::string_view first;
  std::optional<std::string_view> second = {};
};

/// A tokenizer: the normalizer, pre-tokenizer, model, post-processor and decoder of a `tokenizer.json`. It is
/// immutable, so threads may share it. It gives the same ids and offsets as `tokenizers` 0.23.3, with one difference:
/// it ignores the truncation and padding stored in tokenizer.json. EncodeOptions decide about truncation; padding
/// belongs to the batch.
///
/// Texts are UTF-8. Encoding throws DataError, with the byte offset, for a text that is not UTF-8 and for a text on
/// which a regular expression of the file takes too long. It throws CheckpointError for a character that the model does
/// not know, if the model has no unknown token.
class Tokenizer {
 public:
  /// Reads tokenizer.json or, if there is none, the first of these files that exists:
  ///   vocab.txt                    WordPiece of BERT or, by tokenizer_class, MPNetTokenizer
  ///   source.spm, target.spm and vocab.json
  ///                                the SentencePiece models of MarianTokenizer, one for each side; of_targets()
  ///   vocab.json and merges.txt    byte-level BPE, by tokenizer_class: GPT2Tokenizer, RobertaTokenizer
  ///   spiece.model, sentencepiece.bpe.model, tokenizer.model, spm.model
  ///                                SentencePiece: AlbertTokenizer, DebertaV2Tokenizer (also for an spm.model without a
  ///                                class), T5Tokenizer, XLMRobertaTokenizer, LlamaTokenizer, or none
  /// It follows the rules of transformers 5.23.0 for these files and the settings of tokenizer_config.json. That file,
  /// or special_tokens_map.json, also names the special tokens.
  /// errors    NotFoundError if there is no such file; CheckpointError if it is malformed, too large (64 MB, 4 million
  ///           tokens, 64 KB per token) or asks for a component that Portatune lacks; the error names the component and
  ///           its position
  static Tokenizer load(const std::filesystem::path& folder);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// The tokenizer of the texts that an encoder-decoder model writes: this one, unless the folder has one for each
  /// side.
  const Tokenizer& of_targets() const;

  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;
  Encoding encode(const TextPair& texts, const EncodeOptions& options = {}) const;
  /// Encodes a text that is already split into words, each word separately. word_ids are the indices of the words;
  /// offsets count from the start of the word. It equals transformers' is_split_into_words. If words begin with a space
  /// (a ByteLevel pre-tokenizer, as in GPT-2 and RoBERTa), each word gets one, as with add_prefix_space. Truncation
  /// drops tokens from the end. A word may have no tokens.
  Encoding encode_words(std::span<const std::string> words, const EncodeOptions& options = {}) const;
  /// Encodes many texts in parallel. Element i of the result belongs to texts[i].
  std::vector<Encoding> encode_batch(std::span<const TextPair> texts, const EncodeOptions& options,
                                     ThreadPool& pool) const;

  /// The text of the tokens. Unknown ids are left out.
  std::string decode(std::span<const int32_t> ids, const DecodeOptions& options = {}) const;

  std::optional<int32_t> token_to_id(std::string_view token) const;
  /// The token of an id; empty if no token has this id. The view is valid as long as the tokenizer.
  std::string_view id_to_token(int32_t id) const;
  /// Number of tokens, added tokens included. Ids are below it unless the vocabulary has gaps.
  int64_t vocab_size() const;

  // Special tokens by the names of tokenizer_config.json ("pad_token", ...). If the file names none, the usual ones
  // ("[PAD]", "<pad>", ...) apply. The result is empty if the vocabulary lacks the token.
  std::optional<int32_t> pad_id() const;
  std::optional<int32_t> unk_id() const;
  std::optional<int32_t> cls_id() const;
  std::optional<int32_t> sep_id() const;
  std::optional<int32_t> mask_id() const;
  std::optional<int32_t> bos_id() const;
  std::optional<int32_t> eos_id() const;
  /// The longest input of the model: "model_max_length" of tokenizer_config.json.
  std::optional<int64_t> model_max_length() const;

  /// Number of tokens that the template adds to one text or to a pair.
  int64_t added_tokens(bool pair) const;

  struct Parts;  ///< internal

 private:
  friend class IdEncoder;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

/// Encodes many texts one after the other, ids only, into memory of the caller. This is the fastest way to encode. It
/// keeps state between texts, above all a cache of the ids of words. Only one thread at a time may use it; the
/// tokenizer must outlive it.
class IdEncoder {
 public:
  explicit IdEncoder(const Tokenizer& tokenizer);
  explicit IdEncoder(const Tokenizer&&) = delete;
  ~IdEncoder();
  IdEncoder(IdEncoder&&) noexcept;
  IdEncoder& operator=(IdEncoder&&) noexcept;

  /// Appends the ids of one example to `ids` and its type ids to `type_ids`, unless null. It ignores `with_offsets`.
  /// After an error both vectors are unchanged.
  void append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
              std::vector<int32_t>* type_ids = nullptr);

  struct State;  ///< internal

 private:
  std::unique_ptr<State> state_;
};

/// The model of a trained tokenizer, and the stages around it.
enum class TokenizerType {
  kWordPiece,  ///< as BERT: BertNormalizer, BertPreTokenizer, tokens inside of words begin with ##
  kBpe,        ///< merges of bytes, as GPT-2 and RoBERTa: a text has no unknown characters
  kUnigram     ///< pieces with probabilities, as SentencePiece has for ALBERT and T5; ▁ is a space
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
  /// errors  UsageError for options out of range, a special token twice, WordPiece without [UNK], unigram without <unk>
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

/// The languages of a translation, as special tokens of the tokenizer: "en_XX". Empty: that of the tokenizer's files.
struct Languages {
  std::string source, target;
};

/// Tokenizer::load() with languages that replace src_lang and tgt_lang of tokenizer_config.json. They have no effect on
/// a tokenizer that adds no token for the language.
/// errors  those of Tokenizer::load(); UsageError for a language that the tokenizer does not have
Tokenizer load_tokenizer(const std::filesystem::path& folder, const Languages& languages);

}  // namespace portatune::text
