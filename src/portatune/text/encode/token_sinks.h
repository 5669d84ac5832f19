// Where tokens go: ids alone, or with offsets and word ids. What fills a sink is compiled for each, so that those who
// want ids alone do not pay for the rest.
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

  /// Appends to the ids of `sequence`. A word that ends with `limit` of them or more is the last.
  IdSink(Sequence& sequence, size_t limit) : ids_(sequence.ids), limit_(limit) {}

  void push(int32_t id, Offsets) { ids_.push_back(id); }

  /// The tokens of a word. `origin(begin, end)` tells where these bytes of it stand in the text.
  template <class Origin>
  void push(const WordCache::Tokens& tokens, Origin&&) {
    if (tokens.size() == 1) {  // as for most words; not worth a call
      ids_.push_back(tokens.ids().front());
    } else {
      ids_.insert(ids_.end(), tokens.ids().begin(), tokens.ids().end());
    }
  }
  template <class Origin>
  void push(std::span<const Piece> pieces, Origin&&) {
    for (const Piece& piece : pieces) ids_.push_back(piece.id);
  }

  /// Ends a word; returns whether more are wanted.
  bool end_word() const { return ids_.size() < limit_; }

  /// An added token, as it stands in the text: a word that is never the last. So has it `tokenizers`.
  void take_token(int32_t id, Offsets, std::string_view) { ids_.push_back(id); }

 private:
  std::vector<int32_t>& ids_;
  const size_t limit_;
};

class TokenSink {
 public:
  static constexpr bool kWithOffsets = true;

  TokenSink(Sequence& sequence, size_t limit, std::span<const TrimOffsets> trims, const Vocabulary& vocabulary)
      : sequence_(sequence), limit_(limit), trims_(trims), vocabulary_(vocabulary) {}

  void push(int32_t id, Offsets offsets) {
    if (!trims_.empty()) offsets = trimmed(offsets, vocabulary_.token(id));
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
    put(id, trimmed(offsets, text));
    ++word_;
  }

 private:
  template <class Origin>
  void push_piece(const Piece& piece, Origin& origin) {
    push(piece.id, origin(piece.begin, piece.end));
  }
  void put(int32_t id, Offsets offsets) {
    sequence_.ids.push_back(id);
    sequence_.offsets.push_back(offsets);
    sequence_.word_ids.push_back(word_);
  }
  Offsets trimmed(Offsets offsets, std::string_view token) const {
    for (const TrimOffsets& trim : trims_) offsets = trim.trimmed(offsets, token, sequence_.ids.size());
    return offsets;
  }

  Sequence& sequence_;
  const size_t limit_;
  const std::span<const TrimOffsets> trims_;
  const Vocabulary& vocabulary_;
  int32_t word_ = 0;
};

}  // namespace portatune::text
