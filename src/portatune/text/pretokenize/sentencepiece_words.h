// The words of SentencePiece, in texts of a translator.
#pragma once

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// The visible character in place of a space.
inline constexpr const char* kVisibleSpace = "\u2581";

/// Words are what is between spaces, each with a visible space before it. A language code at the begin of a text, such
/// as ">>fr<<", is a word without one. Visible spaces at the end of a text are removed.
class SentencePieceWords final : public PreTokenizer {
 public:
  void split(Words& words) const override;
};

}  // namespace portatune::text
