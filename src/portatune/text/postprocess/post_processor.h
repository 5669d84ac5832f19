// The stage that makes an example of the tokens of one or two texts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "portatune/text/postprocess/template.h"

namespace portatune::text {

/// Excludes whitespace from a token's offsets, as ByteLevel and RobertaProcessing do.
struct TrimOffsets {
  bool add_prefix_space = true;  ///< a single space at the beginning of a text counts as inserted

  /// The offsets of a token without whitespace.
  /// token     as in the vocabulary
  /// index     index of the token in its text
  Offsets trimmed(Offsets offsets, std::string_view token, size_t index) const;
};

/// A post-processor of tokenizer.json, or a Sequence of them.
struct PostProcessor {
  Template layout = plain_template();
  std::vector<TrimOffsets> trims;  ///< in order
};

}  // namespace portatune::text
