// BERT's normalizer, pre-tokenizer and WordPiece in one pass over the bytes, for ids only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portune/text/model/word_cache.h"
#include "portune/text/model/wordpiece.h"
#include "portune/text/normalize/bert.h"

namespace portune::text {

/// Gives the ids that the three stages give one after the other. Words of ASCII letters and digits, nearly all of an
/// English text, are lower-cased, measured and looked up in registers; what stands between two ASCII spaces or
/// punctuation characters and has other bytes goes through the stages.
class FusedBert {
 public:
  /// Keeps references to both.
  FusedBert(const BertNormalizer& normalizer, const WordPiece& model);

  /// Memory that is used again from one text to the next. For one thread.
  struct Scratch {
    WordCache words;
    std::vector<Piece> pieces;
    std::vector<int32_t> ids;
    std::string normalized;
  };

  /// Appends the ids of `text`, which is UTF-8. Stops after the word with which `ids` reaches `limit` elements; returns
  /// whether it got through.
  bool append(std::string_view text, size_t limit, Scratch& scratch, std::vector<int32_t>& ids) const;

  /// Appends the ids of one word.
  void take_word(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const;

 private:
  enum class ByteClass : uint8_t { kLetter, kSpace, kPunctuation, kOther };

  ByteClass class_of(char byte) const { return byte_classes_[static_cast<unsigned char>(byte)]; }
  bool ends_word(char byte) const {
    const ByteClass byte_class = class_of(byte);
    return byte_class == ByteClass::kSpace || byte_class == ByteClass::kPunctuation;
  }
  // These go on from `at` or `begin` and return where they have stopped; null if the limit is reached.
  template <bool lowercase>
  const char* scan(const char* at, const char* stop, const char* end, size_t limit, Scratch& scratch,
                   std::vector<int32_t>& ids) const;
  const char* take_run(const char* begin, const char* end, size_t limit, Scratch& scratch,
                       std::vector<int32_t>& ids) const;
  void take_word(const ShortKey& word, Scratch& scratch, std::vector<int32_t>& ids) const;
  std::span<const int32_t> cut(const ShortKey& word, Scratch& scratch) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
  size_t max_key_bytes_;  // words up to this size cannot have too many characters
  std::array<ByteClass, 256> byte_classes_;
  std::array<int32_t, 128> punctuation_ids_{};
};

}  // namespace portune::text
