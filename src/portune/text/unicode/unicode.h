// What Hugging Face `tokenizers` holds about each code point. It mixes several versions of Unicode, so the tables are
// made by asking it (tests/oracle/make_tokenizer_tables.py).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace portune::text {

/// Bits of a code point's properties. The first six are numbered as in the generator of the tables.
enum Property : uint16_t {
  kControl = 1,       ///< removed by `clean_text`: Cc, Cf, Cn and Co, but for tab, line feed and carriage return
  kSpace = 2,         ///< White_Space
  kPunctuation = 4,   ///< a word of its own for BERT: category P and all of ASCII's symbols
  kMark = 8,          ///< Mn, removed by `strip_accents`
  kCjk = 16,          ///< CJK ideograph, a word of its own for BERT
  kWord = 32,         ///< \w of a regular expression
  kCombining = 64,    ///< has a canonical combining class other than 0
  kDecomposes = 128,  ///< differs from its canonical decomposition
  kUppercase = 256,   ///< differs from its lower case
};

class UnicodeTables {
 public:
  /// Unfolded at the first call, which takes a tenth of a millisecond.
  static const UnicodeTables& get();

  /// Property bits of a code point.
  uint16_t properties(char32_t c) const { return blocks_[block_of_[c / kBlockSize]][c % kBlockSize]; }

  /// Canonical combining class; 0 unless kCombining.
  uint8_t combining_class(char32_t c) const;

  /// Lower case of a code point with kUppercase. U+0130 is the only one that has two: this gives the first, 'i', and
  /// U+0307 follows.
  char32_t lowercase(char32_t c) const;

  /// Full canonical decomposition of a code point with kDecomposes, Hangul syllables excepted.
  std::u32string_view decomposition(char32_t c) const;

 private:
  static constexpr size_t kBlockSize = 128;
  using Block = std::array<uint16_t, kBlockSize>;

  UnicodeTables();
  void unfold_classes();
  void add_property(char32_t c, Property property);

  std::vector<uint16_t> block_of_;
  std::vector<Block> blocks_;
  std::vector<bool> shared_;  // by block: whether several entries of block_of_ may mean it
  std::unordered_map<char32_t, std::u32string_view> decompositions_;
};

inline bool is_hangul_syllable(char32_t c) { return c >= 0xAC00 && c <= 0xD7A3; }

/// Canonical decomposition of a Hangul syllable: two or three letters, 0 for the third where there are two.
/// source    The Unicode Standard 15.0, section 3.12
std::array<char32_t, 3> decompose_hangul(char32_t syllable);

}  // namespace portune::text
