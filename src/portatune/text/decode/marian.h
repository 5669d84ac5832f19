// The decoder of Marian's tokenizer.
#pragma once

#include <set>
#include <string>

#include "portatune/text/decode/decoder.h"

namespace portatune::text {

/// Joins the pieces between special tokens as SentencePiece does, without a space before them, and special tokens with
/// a space behind them. The text has no spaces at its ends.
class MarianDecoder final : public Decoder {
 public:
  /// pieces    the pieces of the model of SentencePiece that decodes: a space before another piece stays
  /// controls  pieces of that model without a text
  MarianDecoder(std::set<std::string> special_tokens, std::set<std::string> pieces, std::set<std::string> controls)
      : special_tokens_(std::move(special_tokens)), pieces_(std::move(pieces)), controls_(std::move(controls)) {}

  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::set<std::string> special_tokens_, pieces_, controls_;
};

}  // namespace portatune::text
