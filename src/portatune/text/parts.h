// The parts of a loaded tokenizer: its stages in the order in which a text passes them.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "portatune/text.h"
#include "portatune/text/added_tokens.h"
#include "portatune/text/encode/encoder_pool.h"
#include "portatune/text/encode/fused_pass.h"
#include "portatune/text/postprocess/truncate.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

/// Receives the results of the stages before the model.
class StageSink {
 public:
  virtual ~StageSink() = default;
  /// Takes words for the model. Returns false to stop.
  virtual bool take_words(const Words& words) = 0;
  /// Takes an added token with its text.
  virtual void take_token(int32_t id, Offsets offsets, std::string_view text) = 0;
};

struct Tokenizer::Parts {
  Parts(TokenizerSpec spec, const TokenizerConfig& config);
  Parts(const Parts&) = delete;  // because `fused` refers to other members

  AddedTokens raw_tokens;         ///< searched for in the original text
  NormalizerPtr normalizer;       ///< null: none
  AddedTokens normalized_tokens;  ///< searched for in the normalized text
  PreTokenizerPtr pre_tokenizer;  ///< null: none
  ModelPtr model;
  FusedPassPtr fused;  ///< null: these stages have none
  bool by_segment;     ///< segments of a text (segments.h) may be encoded separately
  PostProcessor post_processor;
  DecoderPtr decoder;           ///< null: tokens with spaces between them
  Vocabulary added_vocabulary;  ///< added tokens that the model's vocabulary lacks
  std::optional<int32_t> pad_id, unk_id, cls_id, sep_id, mask_id, bos_id, eos_id;
  std::optional<int64_t> model_max_length;
  bool clean_up_tokenization_spaces;
  std::unique_ptr<const Tokenizer> targets;  ///< Tokenizer::of_targets(); null: this one

  /// load_tokenizer(), with access to the tokenizer.
  static Tokenizer load(const std::filesystem::path& folder, const Languages& languages);

  std::optional<int32_t> find(std::string_view token) const;
  /// Tokens that skip_special_tokens leaves out.
  const std::unordered_set<std::string>& special_tokens() const { return special_tokens_; }

  /// The token of the language that the template adds to a text; none if it adds no such token.
  std::optional<int32_t> language_id() const;
  /// Replaces this token by `language`, if that is a special token.
  void set_language(std::string_view language);

  /// Memory that the stages reuse from one text to the next.
  struct Scratch {
    Normalized normalized;
    Words words;
    std::vector<AddedTokens::Match> matches;
    bool prefix_space = false;  ///< add a space before every part between added tokens that does not begin with one
  };
  /// Passes a part of a text without raw added tokens through the stages before the model.
  /// first     number of code points before it; without origins it matters only whether this is 0
  /// returns   false if the sink stopped
  bool pass(std::string_view text, int32_t first, bool with_origins, Scratch& scratch, StageSink& sink) const;
  /// True if pass() gives the right words without origins.
  bool works_without_origins() const;

  /// The whitespace of the model's tokens, by id; empty unless the post-processor trims offsets. The first call
  /// computes it, as only offsets need it.
  std::span<const SpacesAtEnds> token_spaces() const;

  /// Maximal number of tokens of both texts in an example.
  int64_t budget(bool pair, const EncodeOptions& options) const;

  std::string decode(std::span<const int32_t> ids, const DecodeOptions& options) const;

  mutable EncoderPool encoders;

 private:
  void add(AddedToken token);
  bool pass_words(Span piece, Scratch& scratch, StageSink& sink) const;

  mutable std::once_flag has_token_spaces_;
  mutable std::vector<SpacesAtEnds> token_spaces_;
  std::unordered_set<std::string> special_tokens_;
  std::unordered_map<int32_t, std::string> normalized_contents_;  // by id: added tokens that the normalizer changes
};

/// Limits on the number of tokens of each text. Tokens that truncation will certainly drop need not be made. There is
/// no limit if the lengths of both texts decide which tokens are dropped, or whether truncation fails.
struct Limits {
  size_t first = kNoLimit, second = kNoLimit;
};
Limits limits(bool pair, int64_t budget, TruncationStrategy strategy);

}  // namespace portatune::text
