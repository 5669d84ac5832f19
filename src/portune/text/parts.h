// What a tokenizer consists of once it is loaded: its stages in the order in which a text passes them.
#pragma once

#include <limits>
#include <optional>

#include "portune/text.h"
#include "portune/text/added_tokens.h"
#include "portune/text/fused_bert.h"
#include "portune/text/model/wordpiece.h"
#include "portune/text/normalize/bert.h"
#include "portune/text/postprocess/template.h"
#include "portune/text/postprocess/truncate.h"
#include "portune/text/read/spec.h"

namespace portune::text {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

struct Tokenizer::Parts {
  Parts(TokenizerSpec spec, const TokenizerConfig& config);
  Parts(const Parts&) = delete;  // `fused` refers to its siblings

  AddedTokens raw_tokens;  ///< looked for in the text as it is
  BertNormalizer normalizer;
  AddedTokens normalized_tokens;  ///< looked for in the normalized text
  WordPiece model;
  FusedBert fused;
  Template post_processor;
  Vocabulary added_vocabulary;  ///< added tokens that the model does not know
  std::optional<int32_t> pad_id, unk_id, cls_id, sep_id, mask_id;
  std::optional<int64_t> model_max_length;

  std::optional<int32_t> find(std::string_view token) const;

  /// The tokens of one text with offsets and word ids. Stops after the word with which `limit` tokens are reached.
  Sequence encode(std::string_view text, size_t limit) const;

  /// How many tokens of the two texts an example may hold.
  int64_t budget(bool pair, const EncodeOptions& options) const;

 private:
  void add(AddedToken token);
};

/// How many tokens of the texts to make at most: tokens that truncation will certainly drop need not be made. Where the
/// lengths of both texts decide what is dropped, or whether that is an error, all are made.
struct Limits {
  size_t first = kNoLimit, second = kNoLimit;
};
Limits limits(bool pair, int64_t budget, TruncationStrategy strategy);

}  // namespace portune::text
