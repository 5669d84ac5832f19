// The stage that makes an example of one or two texts' tokens.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "portatune/text/postprocess/template.h"

namespace portatune::text {

/// ByteLevel's and RobertaProcessing's way to leave white space out of a token's offsets.
struct TrimOffsets {
  bool add_prefix_space = true;  ///< a single space at the beginning of a text was put there, and has no offset

  /// token     as the vocabulary has it
  /// index     of the token in its text
  Offsets trimmed(Offsets offsets, std::string_view token, size_t index) const;
};

/// A post-processor of tokenizer.json, a Sequence of them included.
struct PostProcessor {
  Template layout = plain_template();
  std::vector<TrimOffsets> trims;  ///< in order
};

}  // namespace portatune::text
