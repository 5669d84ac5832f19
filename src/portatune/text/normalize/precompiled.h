// SentencePiece's normalizer: replacements of character sequences, in a table that comes with the model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// source    SentencePiece (Kudo and Richardson 2018, arXiv:1808.06226); `tokenizers` looks up whole grapheme clusters
///           of less than 6 bytes first, and takes the shortest match
class Precompiled final : public Normalizer {
 public:
  /// charsmap  bytes of the trie (uint32), the trie, the replacements, each with a zero byte behind it
  /// errors    UsageError if it is not that
  explicit Precompiled(std::string_view charsmap);

  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override;

 private:
  // What the shortest prefix of `text` that the trie knows becomes, if it knows any.
  std::optional<std::string_view> replacement(std::string_view text) const;

  bool is_plain(std::string_view text, size_t at) const;

  std::vector<uint32_t> trie_;  // a double array, as of Darts: units of label, offset and whether a value follows
  std::string replacements_;
  std::array<bool, 128> plain_{};  // by ASCII character: whether it stays as it is
};

}  // namespace portatune::text
