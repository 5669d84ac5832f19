// BERT's normalizer, pre-tokenizer and WordPiece in one pass over the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/text/encode/fused_pass.h"
#include "portatune/text/model/wordpiece.h"
#include "portatune/text/normalize/bert.h"

namespace portatune::text {

/// Gives the same tokens as the three stages in order. Words of ASCII letters and digits, nearly all of an English
/// text, are converted to lower case, measured and looked up in registers. Text with other bytes, up to the next ASCII
/// space or punctuation character, goes through the stages.
class FusedBert final : public FusedPass {
 public:
  /// Keeps references to both arguments.
  FusedBert(const BertNormalizer& normalizer, const WordPiece& model);

  bool normalizes() const override { return true; }
  bool pass(std::string_view text, int32_t first, FusedScratch& scratch, IdSink& sink) const override;
  bool pass(std::string_view text, int32_t first, FusedScratch& scratch, TokenSink& sink) const override;

 private:
  enum class ByteClass : uint8_t { kLetter, kSpace, kPunctuation, kOther };

  // Positions of bytes in the original text, in code points.
  struct Positions {
    const char* begin;
    int32_t first;  // position of `begin`, if all code points so far had one byte
    int32_t of(const char* at) const { return first + static_cast<int32_t>(at - begin); }
  };

  ByteClass class_of(char byte) const { return byte_classes_[static_cast<unsigned char>(byte)]; }
  bool ends_word(char byte) const {
    const ByteClass byte_class = class_of(byte);
    return byte_class == ByteClass::kSpace || byte_class == ByteClass::kPunctuation;
  }
  template <class Sink>
  bool pass_text(std::string_view text, int32_t first, FusedScratch& scratch, Sink& sink) const;
  // These functions continue at `at` or `begin` and return where they stopped; null if the sink wants no more.
  template <bool lowercase, class Sink>
  const char* scan(const char* at, const char* stop, const char* end, Positions& positions, FusedScratch& scratch,
                   Sink& sink) const;
  template <class Sink>
  const char* take_run(const char* begin, const char* end, Positions& positions, FusedScratch& scratch,
                       Sink& sink) const;
  template <class Sink, class Origin>
  void take_word(std::string_view word, FusedScratch& scratch, Sink& sink, Origin&& origin) const;
  template <class Sink, class Origin>
  void take_word(const ShortKey& word, FusedScratch& scratch, Sink& sink, Origin&& origin) const;

  const BertNormalizer& normalizer_;
  const WordPiece& model_;
  size_t max_key_bytes_;  // words up to this size cannot have too many characters
  std::array<ByteClass, 256> byte_classes_;
  std::array<int32_t, 128> punctuation_ids_{};
};

}  // namespace portatune::text
