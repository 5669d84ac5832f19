// SentencePiece's normalizer: replaces character sequences by a table from the model's file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// The way of looking a text up in the table.
enum class CharsmapRule {
  kTokenizers,    ///< that of `tokenizers`: whole grapheme clusters of less than 6 bytes first, the shortest match
  kSentencePiece  ///< that of SentencePiece: the longest match at each character
};

/// The normalizer Precompiled.
/// source    SentencePiece (Kudo and Richardson 2018, arXiv:1808.06226)
class Precompiled final : public Normalizer {
 public:
  /// Reads the table.
  /// charsmap  size of the trie in bytes (uint32), the trie, the replacements, each followed by a zero byte
  /// errors    UsageError if the bytes have another form
  explicit Precompiled(std::string_view charsmap, CharsmapRule rule = CharsmapRule::kTokenizers);

  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override;

 private:
  struct Match {
    size_t size;  // bytes of the text
    std::string_view replacement;
  };
  enum class Prefix { kShortest, kLongest };

  // A prefix of `text` in the trie, if there is one.
  std::optional<Match> match(std::string_view text, Prefix prefix) const;
  bool begins_match_of_ascii(char first) const;
  bool is_plain(std::string_view text, size_t at) const;
  void normalize_by_clusters(Normalized& text) const;
  void normalize_by_longest_match(Normalized& text) const;

  CharsmapRule rule_;
  std::vector<uint32_t> trie_;  // a double array, as in Darts: units of label, offset and a bit for a value
  std::string replacements_;
  std::array<bool, 128> plain_{};  // by ASCII character: it stays unchanged
};

}  // namespace portatune::text
