// Several stages in one pass over the bytes, for ids only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portune/text/model/merge_word.h"
#include "portune/text/model/model.h"
#include "portune/text/model/word_cache.h"
#include "portune/text/normalize/normalizer.h"
#include "portune/text/pretokenize/pre_tokenizer.h"

namespace portune::text {

/// Memory that is used again from one text to the next. For one thread.
struct FusedScratch {
  WordCache words;
  std::vector<Piece> pieces;
  std::vector<Symbol> symbols;
  std::vector<int32_t> ids;
  std::string text;
};

/// Gives the ids that the stages give one after the other, where these are some that it knows.
class FusedPass {
 public:
  virtual ~FusedPass() = default;

  /// Whether it also normalizes. Otherwise it is for normalized text.
  virtual bool normalizes() const = 0;

  /// Appends the ids of `text`, which is UTF-8. Stops after the word with which `ids` reaches `limit` elements; returns
  /// whether it got through.
  virtual bool append(std::string_view text, size_t limit, FusedScratch& scratch, std::vector<int32_t>& ids) const = 0;
};
using FusedPassPtr = std::unique_ptr<const FusedPass>;

/// The pass for these stages, to which it keeps references, or null if there is none. The first two may be null.
FusedPassPtr fused_pass(const Normalizer* normalizer, const PreTokenizer* pre_tokenizer, const Model& model);

/// Appends the ids of a word, which is not empty, by way of the cache.
void append_word(const Model& model, std::string_view word, FusedScratch& scratch, std::vector<int32_t>& ids);

}  // namespace portune::text
