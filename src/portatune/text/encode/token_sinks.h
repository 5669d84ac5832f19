// Destinations of tokens: ids alone, or ids with offsets and word ids. Code that fills a sink is compiled for each of
// them, so that callers without offsets do not pay for them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "portatune/text/model/word_cache.h"
#include "portatune/text/postprocess/post_processor.h"

namespace portatune::text {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

class IdSink {
 public:
  static constexpr bool kWithOffsets = false;

  /// Appends to the ids of `sequence`. The last word is the one at whose end there are `limit` ids or more.
  IdSink(Sequence& sequence, size_t limit) : ids_(sequence.ids), limit_(limit) {}

  void push(int32_t id, Offsets) { ids_.push_back(id); }

  /// Appends the tokens of a word. `origin(begin, end)` is the range of these bytes of the word in the text.
  template <class Origin>
  void push(const WordCache::Tokens& tokens, Origin&&) {
    if (tokens.size() == 1) {  // true for most words; a call would be slower
      ids_.push_back(tokens.ids().front());
    } else {
      ids_.insert(ids_.end(), tokens.ids().begin(), tokens.ids().end());
    }
  }
  template <class Origin>
  void push(std::span<const Piece> pieces, Origin&&) {
    for (const Piece& piece : pieces) ids_.push_back(piece.id);
  }

  /// Ends a word. Returns true if more words are wanted.
  bool end_word() const { return ids_.size() < limit_; }

  /// Appends an added token. It never ends the sequence, as in `tokenizers`.
  void take_token(int32_t id, Offsets, std::string_view) { ids_.push_back(id); }

 private:
  std::vector<int32_t>& ids_;
  const size_t limit_;
};

class TokenSink {
 public:
  static constexpr bool kWithOffsets = true;

  /// spaces  whitespace at the ends of each token of the model, by id; may be empty without `trims`
  TokenSink(Sequence& sequence, size_t limit, std::span<const TrimOffsets> trims,
            std::span<const SpacesAtEnds> spaces)
      : sequence_(sequence), limit_(limit), trims_(trims), spaces_(spaces) {}

  void push(int32_t id, Offsets offsets) {
    if (!trims_.empty()) offsets = trimmed(offsets, spaces_[static_cast<size_t>(id)]);
    put(id, offsets);
  }
  template <class Origin>
  void push(const WordCache::Tokens& tokens, Origin&& origin) {
    for (size_t i = 0; i < tokens.size(); ++i) push_piece(tokens[i], origin);
  }
  template <class Origin>
  void push(std::span<const Piece> pieces, Origin&& origin) {
    for (const Piece& piece : pieces) push_piece(piece, origin);
  }

  bool end_word() {
    ++word_;
    return sequence_.ids.size() < limit_;
  }

  void take_token(int32_t id, Offsets offsets, std::string_view text) {
    put(id, trims_.empty() ? offsets : trimmed(offsets, spaces_of(text)));
    ++word_;
  }

 private:
  template <class Origin>
  void push_piece(const Piece& piece, Origin& origin) {
    push(piece.id, origin(piece.begin, piece.end));
  }
  void put(int32_t id, Offsets offsets) {
    sequence_.ids.push_back(id);
    sequence_.sources.push_back({offsets, word_});
  }
  Offsets trimmed(Offsets offsets, SpacesAtEnds spaces) const {
    for (const TrimOffsets& trim : trims_) offsets = trim.trimmed(offsets, spaces, sequence_.ids.size());
    return offsets;
  }

  Sequence& sequence_;
  const size_t limit_;
  const std::span<const TrimOffsets> trims_;
  const std::span<const SpacesAtEnds> spaces_;
  int32_t word_ = 0;
};

}  // namespace portatune::text
