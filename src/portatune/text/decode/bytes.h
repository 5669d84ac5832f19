// Decoders that put bytes together.
#pragma once

#include "portatune/text/decode/decoder.h"

namespace portatune::text {

/// ByteLevel: the bytes that the tokens' characters stand for, as UTF-8; U+FFFD for what is not.
class ByteLevelDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override;
};

/// ByteFallback: tokens <0x00> to <0xFF> that follow each other are UTF-8 together, or a U+FFFD each.
class ByteFallbackDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override;
};

}  // namespace portatune::text
