// The stage that makes an example of the tokens of one or two texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/text/postprocess/template.h"

namespace portatune::text {

/// Numbers of characters of whitespace at both ends of a token. If it consists of whitespace, both count all of it.
struct SpacesAtEnds {
  int32_t leading = 0, trailing = 0;
};
/// The whitespace of a token, which is written as in the vocabulary.
SpacesAtEnds spaces_of(std::string_view token);

/// Excludes whitespace from a token's offsets, as ByteLevel and RobertaProcessing do.
struct TrimOffsets {
  bool add_prefix_space = true;  ///< a single space at the beginning of a text counts as inserted

  /// The offsets of a token without whitespace.
  /// index     index of the token in its text
  Offsets trimmed(Offsets offsets, SpacesAtEnds spaces, size_t index) const;
};

/// A post-processor of tokenizer.json, or a Sequence of them.
struct PostProcessor {
  Template layout = plain_template();
  std::vector<TrimOffsets> trims;  ///< in order
};

}  // namespace portatune::text
