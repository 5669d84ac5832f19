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

/// Memory that is reused from one text to the next, for one thread and one pass.
struct FusedScratch {
  WordCache words;  ///< by the words' bytes in this pass
  std::vector<Piece> pieces;
  std::vector<Symbol> symbols;
  std::string text;
  Normalized normalized;
};

/// Gives the same tokens as certain stages in order.
class FusedPass {
 public:
  virtual ~FusedPass() = default;

  /// True if the pass normalizes; otherwise its input is normalized text.
  virtual bool normalizes() const = 0;

  /// Passes the tokens of `text`, which is UTF-8, to `sink`. Returns false if the sink stopped.
  /// first     number of code points before `text`, the origin of offsets
  virtual bool pass(std::string_view text, int32_t first, FusedScratch& scratch, IdSink& sink) const = 0;
  virtual bool pass(std::string_view text, int32_t first, FusedScratch& scratch, TokenSink& sink) const = 0;
};
using FusedPassPtr = std::unique_ptr<const FusedPass>;

/// The pass for these stages, or null if there is none. It keeps references to them. The first two may be null.
FusedPassPtr fused_pass(const Normalizer* normalizer, const PreTokenizer* pre_tokenizer, const Model& model);

/// Passes the tokens of a short word to `sink`, from the cache or else from cut(), which returns them.
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
