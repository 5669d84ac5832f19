// The stage that makes text of tokens.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace portatune::text {

/// A decoder of tokenizer.json. Immutable.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Turns tokens into pieces of text, which joined are the text.
  virtual void decode(std::vector<std::string>& tokens) const = 0;
};
using DecoderPtr = std::unique_ptr<const Decoder>;

}  // namespace portatune::text
