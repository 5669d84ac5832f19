// Text to token ids, as Hugging Face `tokenizers` makes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {
class ThreadPool;
}

namespace portatune::text {

/// A piece of the original text: [begin, end) in Unicode code points, counted from the start of that text.
struct Offsets {
  int32_t begin = 0, end = 0;
  bool operator==(const Offsets&) const = default;
};

/// A tokenized text or pair of texts: one element per token in each vector.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;             ///< 0 or 1, as the tokenizer's template says ("token_type_ids")
  std::vector<int32_t> special_tokens_mask;  ///< 1 for tokens that the template has added
  std::vector<int32_t> sequence_ids;         ///< 0 first text, 1 second text, -1 added by the template
  // Only with EncodeOptions::with_offsets, otherwise empty:
  std::vector<Offsets> offsets;   ///< where the token stands in its text; {0, 0} if the template has added it
  std::vector<int32_t> word_ids;  ///< number of the word in its text, from 0; -1 if the template has added it
};

/// Which tokens to drop where an example is too long. Always from the end of a text.
enum class TruncationStrategy {
  kLongestFirst,  ///< from the longer text until both are equally long, then from both in turn
  kOnlyFirst,     ///< from the first text; DataError where that is not enough
  kOnlySecond,    ///< from the second text; DataError where that is not enough, UsageError where there is none
  kDoNotTruncate
};

struct EncodeOptions {
  int64_t max_length = 0;  ///< tokens at most, those of the template included; 0: no limit
  TruncationStrategy truncation = TruncationStrategy::kLongestFirst;
  bool add_special_tokens = true;  ///< those of the template: [CLS] first [SEP] second [SEP]
  bool with_offsets = false;       ///< whether `offsets` and `word_ids` are wanted; costs time
};

struct DecodeOptions {
  bool skip_special_tokens = false;  ///< leave out added tokens that are special, such as [CLS]
  /// Whether to take spaces away before English punctuation and contractions. By default as tokenizer_config.json says,
  /// and not for BPE models, as transformers does it.
  std::optional<bool> clean_up_tokenization_spaces = {};
};

/// One text, or two that belong together. Does not own them.
struct TextPair {
  std::string_view first;
  std::optional<std::string_view> second = {};
};

/// A tokenizer: the normalizer, pre-tokenizer, model, post-processor and decoder of a `tokenizer.json`. Immutable,
/// hence safe to share between threads. Gives the same ids and offsets as `tokenizers` 0.23.3, with one difference in
/// use: truncation and padding that are stored in tokenizer.json are not applied, EncodeOptions decide (padding is the
/// batch's business).
///
/// Texts are UTF-8. DataError, with the byte offset, for one that is not, and for one on which a regular expression of
/// the file takes too long. CheckpointError for a character that the model neither knows nor has an unknown token for.
class Tokenizer {
 public:
  /// Reads tokenizer.json or, where there is none, the first that is there of
  ///   vocab.txt                    BERT's WordPiece
  ///   vocab.json and merges.txt    byte-level BPE, by tokenizer_class: GPT2Tokenizer, RobertaTokenizer
  ///   spiece.model, sentencepiece.bpe.model, tokenizer.model
  ///                                SentencePiece: AlbertTokenizer, T5Tokenizer, XLMRobertaTokenizer, LlamaTokenizer,
  ///                                or none
  /// by the rules that transformers 5.23.0 has for them, with the flags of tokenizer_config.json. That file, or
  /// special_tokens_map.json, also names the special tokens.
  /// errors    NotFoundError if there is no such file; CheckpointError for one that is malformed, too large (64 MB, 4
  ///           million tokens, 64 KB a token) or asks for a component that Portatune lacks, which is named with its place
  static Tokenizer load(const std::filesystem::path& folder);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;
  Encoding encode(const TextPair& texts, const EncodeOptions& options = {}) const;
  /// A text that is cut into words already, each of which is encoded by itself: word_ids are their numbers, offsets
  /// count from the start of the word. What transformers does with is_split_into_words; where words begin with a space
  /// (a ByteLevel pre-tokenizer, as of GPT-2 and RoBERTa), they get one, as with its add_prefix_space. Truncation drops
  /// tokens from the end. A word may have no tokens.
  Encoding encode_words(std::span<const std::string> words, const EncodeOptions& options = {}) const;
  /// The same for many, in parallel. Encoding i is that of texts[i].
  std::vector<Encoding> encode_batch(std::span<const TextPair> texts, const EncodeOptions& options,
                                     ThreadPool& pool) const;

  /// The text that tokens stand for. Ids that no token has are left out.
  std::string decode(std::span<const int32_t> ids, const DecodeOptions& options = {}) const;

  std::optional<int32_t> token_to_id(std::string_view token) const;
  /// Empty if no token has this id. Valid as long as the tokenizer.
  std::string_view id_to_token(int32_t id) const;
  /// Number of tokens, added ones included; ids are below it unless the vocabulary has gaps.
  int64_t vocab_size() const;

  // Special tokens by the names of tokenizer_config.json ("pad_token", ...); where it names none, the usual ones
  // ("[PAD]", "<pad>", ...). Empty if not there.
  std::optional<int32_t> pad_id() const;
  std::optional<int32_t> unk_id() const;
  std::optional<int32_t> cls_id() const;
  std::optional<int32_t> sep_id() const;
  std::optional<int32_t> mask_id() const;
  std::optional<int32_t> bos_id() const;
  std::optional<int32_t> eos_id() const;
  /// "model_max_length" of tokenizer_config.json: the longest input that the model was made for.
  std::optional<int64_t> model_max_length() const;

  /// Tokens that the template adds to one text or to a pair.
  int64_t added_tokens(bool pair) const;

  struct Parts;  ///< internal

 private:
  friend class IdEncoder;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

/// Encodes many texts one after the other, ids only, into memory of the caller: the fast way. It keeps what it needs
/// from one text to the next, above all the ids of words that it has seen. For one thread at a time; the tokenizer must
/// outlive it.
class IdEncoder {
 public:
  explicit IdEncoder(const Tokenizer& tokenizer);
  ~IdEncoder();
  IdEncoder(IdEncoder&&) noexcept;
  IdEncoder& operator=(IdEncoder&&) noexcept;

  /// Appends the ids of one example to `ids` and, unless null, its type ids to `type_ids`. `with_offsets` is ignored.
  /// After an error both are as they were.
  void append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
              std::vector<int32_t>* type_ids = nullptr);

  struct State;  ///< internal

 private:
  std::unique_ptr<State> state_;
};

}  // namespace portatune::text
