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

/// The normalizer Precompiled. Like `tokenizers`, it looks up whole grapheme clusters of less than 6 bytes first, and
/// uses the shortest match.
/// source    SentencePiece (Kudo and Richardson 2018, arXiv:1808.06226)
class Precompiled final : public Normalizer {
 public:
  /// Reads the table.
  /// charsmap  size of the trie in bytes (uint32), the trie, the replacements, each followed by a zero byte
  /// errors    UsageError if the bytes have another form
  explicit Precompiled(std::string_view charsmap);

  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override;

 private:
  // The replacement of the shortest prefix of `text` in the trie, if there is one.
  std::optional<std::string_view> replacement(std::string_view text) const;

  bool is_plain(std::string_view text, size_t at) const;

  std::vector<uint32_t> trie_;  // a double array, as in Darts: units of label, offset and a bit for a value
  std::string replacements_;
  std::array<bool, 128> plain_{};  // by ASCII character: it stays unchanged
};

}  // namespace portatune::text
