// What a tokenizer consists of once it is loaded: its stages in the order in which a text passes them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "portatune/text.h"
#include "portatune/text/added_tokens.h"
#include "portatune/text/encode/encoder_pool.h"
#include "portatune/text/encode/fused_pass.h"
#include "portatune/text/postprocess/truncate.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

/// Takes what the stages before the model make of a text.
class StageSink {
 public:
  virtual ~StageSink() = default;
  /// Words, for the model. Returns whether to go on.
  virtual bool take_words(const Words& words) = 0;
  /// An added token, as it stands in the text.
  virtual void take_token(int32_t id, Offsets offsets, std::string_view text) = 0;
};

struct Tokenizer::Parts {
  Parts(TokenizerSpec spec, const TokenizerConfig& config);
  Parts(const Parts&) = delete;  // `fused` refers to its siblings

  AddedTokens raw_tokens;         ///< looked for in the text as it is
  NormalizerPtr normalizer;       ///< null: none
  AddedTokens normalized_tokens;  ///< looked for in the normalized text
  PreTokenizerPtr pre_tokenizer;  ///< null: none
  ModelPtr model;
  FusedPassPtr fused;  ///< null: none for these stages
  bool by_segment;     ///< whether segments of a text (segments.h) may be encoded each by itself
  PostProcessor post_processor;
  DecoderPtr decoder;           ///< null: tokens with spaces between them
  Vocabulary added_vocabulary;  ///< added tokens that the model does not know
  std::optional<int32_t> pad_id, unk_id, cls_id, sep_id, mask_id, bos_id, eos_id;
  std::optional<int64_t> model_max_length;
  bool clean_up_tokenization_spaces;

  std::optional<int32_t> find(std::string_view token) const;

  /// Memory that the stages use again from one text to the next.
  struct Scratch {
    Normalized normalized;
    Words words;
    std::vector<AddedTokens::Match> matches;
    bool prefix_space = false;  ///< a space before every piece between added tokens that does not begin with one
  };
  /// Passes a piece of a text that holds no raw added token through the stages before the model.
  /// first     code points before it; without origins only whether there are any
  /// returns   whether the sink has wanted all of it
  bool pass(std::string_view text, int32_t first, bool with_origins, Scratch& scratch, StageSink& sink) const;
  /// Whether `pass` gives the right words without origins.
  bool works_without_origins() const;

  /// How many tokens of the two texts an example may hold.
  int64_t budget(bool pair, const EncodeOptions& options) const;

  std::string decode(std::span<const int32_t> ids, const DecodeOptions& options) const;

  mutable EncoderPool encoders;

 private:
  void add(AddedToken token);
  bool pass_words(Span piece, Scratch& scratch, StageSink& sink) const;

  std::unordered_set<std::string> special_tokens_;                // what skip_special_tokens leaves out
  std::unordered_map<int32_t, std::string> normalized_contents_;  // of added tokens that the normalizer changes
};

/// How many tokens of the texts to make at most: tokens that truncation will certainly drop need not be made. Where the
/// lengths of both texts decide what is dropped, or whether that is an error, all are made.
struct Limits {
  size_t first = kNoLimit, second = kNoLimit;
};
Limits limits(bool pair, int64_t budget, TruncationStrategy strategy);

}  // namespace portatune::text
