// BERT's normalizer, pre-tokenizer and WordPiece in one pass over the bytes, for ids only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portune/text/fused_pass.h"
#include "portune/text/model/wordpiece.h"
#include "portune/text/normalize/bert.h"

namespace portune::text {

/// Gives the ids that the three stages give one after the other. Words of ASCII letters and digits, nearly all of an
/// English text, are lower-cased, measured and looked up in registers; what stands between two ASCII spaces or
/// punctuation characters and has other bytes goes through the stages.
class FusedBert final : public FusedPass {
 public:
  /// Keeps references to both.
  FusedBert(const BertNormalizer& normalizer, const WordPiece& model);

  bool normalizes() const override { return true; }
  bool append(std::string_view text, size_t limit, FusedScratch& scratch, std::vector<int32_t>& ids) const override;

 private:
  enum class ByteClass : uint8_t { kLetter, kSpace, kPunctuation, kOther };

  ByteClass class_of(char byte) const { return byte_classes_[static_cast<unsigned char>(byte)]; }
  bool ends_word(char byte) const {
    const ByteClass byte_class = class_of(byte);
    return byte_class == ByteClass::kSpace || byte_class == ByteClass::kPunctuation;
  }
  // These go on from `at` or `begin` and return where they have stopped; null if the limit is reached.
  template <bool lowercase>
  const char* scan(const char* at, const char* stop, const char* end, size_t limit, FusedScratch& scratch,
                   std::vector<int32_t>& ids) const;
  const char* take_run(const char* begin, const char* end, size_t limit, FusedScratch& scratch,
                       std::vector<int32_t>& ids) const;
  void take_word(std::string_view word, FusedScratch& scratch, std::vector<int32_t>& ids) const;
  void take_word(const ShortKey& word, FusedScratch& scratch, std::vector<int32_t>& ids) const;
  std::span<const int32_t> cut(const ShortKey& word, FusedScratch& scratch) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
  size_t max_key_bytes_;  // words up to this size cannot have too many characters
  std::array<ByteClass, 256> byte_classes_;
  std::array<int32_t, 128> punctuation_ids_{};
};

}  // namespace portune::text
