// Several stages in one pass over the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/encode/token_sinks.h"
#include "portatune/text/model/merge_word.h"
#include "portatune/text/model/model.h"
#include "portatune/text/model/word_cache.h"
#include "portatune/text/normalize/normalizer.h"
#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// Memory that is used again from one text to the next. For one thread and one pass.
struct FusedScratch {
  WordCache words;  ///< by their bytes as the pass has them
  std::vector<Piece> pieces;
  std::vector<Symbol> symbols;
  std::string text;
  Normalized normalized;
};

/// Gives the tokens that the stages give one after the other, where these are some that it knows.
class FusedPass {
 public:
  virtual ~FusedPass() = default;

  /// Whether it also normalizes. Otherwise it is for normalized text.
  virtual bool normalizes() const = 0;

  /// Hands the tokens of `text`, which is UTF-8, to `sink`. Returns whether that has wanted all of them.
  /// first     code points before `text`, from which offsets count
  virtual bool pass(std::string_view text, int32_t first, FusedScratch& scratch, IdSink& sink) const = 0;
  virtual bool pass(std::string_view text, int32_t first, FusedScratch& scratch, TokenSink& sink) const = 0;
};
using FusedPassPtr = std::unique_ptr<const FusedPass>;

/// The pass for these stages, to which it keeps references, or null if there is none. The first two may be null.
FusedPassPtr fused_pass(const Normalizer* normalizer, const PreTokenizer* pre_tokenizer, const Model& model);

/// Hands the tokens of a short word to `sink`, as the cache has them or else as cut(), which returns them, makes them.
template <class Sink, class Origin, class Cut>
inline void push_word(const ShortKey& word, uint64_t hash, WordCache& cache, Sink& sink, Origin&& origin, Cut&& cut) {
  if (const auto known = cache.find(word, hash); !known.empty()) {
    sink.push(known, origin);
    return;
  }
  const std::span<const Piece> pieces = cut();
  cache.insert(word, hash, pieces);
  sink.push(pieces, origin);
}

}  // namespace portatune::text
