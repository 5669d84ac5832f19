// The stage that turns tokens into text.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace portatune::text {

/// A decoder of tokenizer.json. It is immutable.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Turns tokens into strings that form the text when joined.
  virtual void decode(std::vector<std::string>& tokens) const = 0;
};
using DecoderPtr = std::unique_ptr<const Decoder>;

}  // namespace portatune::text
