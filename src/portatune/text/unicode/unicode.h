// The properties of code points in Hugging Face `tokenizers`. It mixes several versions of Unicode, so the tables are
// measured from it (tests/oracle/text/make_tokenizer_tables.py).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace portatune::text {

/// General categories in the regular expressions of `tokenizers`, numbered as in the generator of the tables.
enum class Category : uint8_t {
  kCn,
  kLu,
  kLl,
  kLt,
  kLm,
  kLo,
  kMn,
  kMc,
  kMe,
  kNd,
  kNl,
  kNo,
  kPc,
  kPd,
  kPs,
  kPe,
  kPi,
  kPf,
  kPo,
  kSm,
  kSc,
  kSk,
  kSo,
  kZs,
  kZl,
  kZp,
  kCc,
  kCf,
  kCo
};

/// Bits of a code point's properties. The first twelve are numbered as in the generator of the tables.
enum Property : uint32_t {
  kControl = 1,             ///< removed by `clean_text`: Cc, Cf, Cn and Co, except tab, line feed and carriage return
  kSpace = 2,               ///< White_Space
  kPunctuation = 4,         ///< a separate word for BERT: category P and all ASCII symbols
  kMark = 8,                ///< Mn, removed by `strip_accents`
  kCjk = 16,                ///< CJK ideograph, a separate word for BERT
  kWord = 32,               ///< \w of a regular expression
  kCombiningMark = 1 << 6,  ///< M, removed by the normalizer StripAccents; of an older Unicode than the categories
  kNumeric = 1 << 7,        ///< N, as in Rust's is_numeric
  kExtends = 1 << 8,        ///< joins the grapheme cluster before it: Extend, ZWJ and SpacingMark
  kPrepends = 1 << 9,       ///< joins the grapheme cluster after it
  kBreaks = 1 << 10,        ///< ends a grapheme cluster: Control, CR and LF of up to 3 bytes
  kPictograph = 1 << 11,    ///< joins a pictograph before it with U+200D between them
  kCombining = 1 << 12,     ///< has a canonical combining class other than 0
  kDecomposes = 1 << 13,    ///< differs from its canonical decomposition
  kUppercase = 1 << 14,     ///< differs from its lower case
  kLetter = 1 << 15,        ///< category L
  kNumber = 1 << 16,        ///< category N
  kDecomposesCompatibly = 1 << 17,  ///< has a compatibility decomposition other than its canonical one
};

class UnicodeTables {
 public:
  /// The tables. The first call unfolds them, which takes a tenth of a millisecond.
  static const UnicodeTables& get();

  /// Property bits of a code point.
  uint32_t properties(char32_t c) const { return blocks_[block_of_[c / kBlockSize]][c % kBlockSize]; }

  Category category(char32_t c) const { return static_cast<Category>(properties(c) >> kCategoryShift); }

  /// Canonical combining class; 0 unless kCombining.
  uint8_t combining_class(char32_t c) const;

  /// Lower case of a code point with kUppercase. U+0130 alone has two code points: this returns the first, 'i', and
  /// U+0307 follows.
  char32_t lowercase(char32_t c) const;

  /// Full canonical decomposition of a code point with kDecomposes, except Hangul syllables.
  std::u32string_view decomposition(char32_t c) const;

  /// Full compatibility decomposition of a code point with kDecomposesCompatibly.
  std::u32string_view compatibility_decomposition(char32_t c) const;

  /// The composition of two code points, Hangul included; 0 if there is none.
  char32_t composition(char32_t first, char32_t second) const;

 private:
  static constexpr size_t kBlockSize = 128;
  static constexpr int kCategoryShift = 24;
  using Block = std::array<uint32_t, kBlockSize>;
  using Decompositions = std::unordered_map<char32_t, std::u32string_view>;

  UnicodeTables();
  void unfold_classes();
  void add_property(char32_t c, Property property);
  void add_decompositions(std::u32string_view entries, Property property, Decompositions& decompositions);

  std::vector<uint16_t> block_of_;
  std::vector<Block> blocks_;
  std::vector<bool> shared_;  // by block: several entries of block_of_ may refer to it
  Decompositions decompositions_, compatibility_decompositions_;
};

inline bool is_hangul_syllable(char32_t c) { return c >= 0xAC00 && c <= 0xD7A3; }

/// Canonical decomposition of a Hangul syllable: two or three letters; the third may be 0.
/// source    The Unicode Standard 15.0, section 3.12
std::array<char32_t, 3> decompose_hangul(char32_t syllable);

}  // namespace portatune::text
