// Decoders that join bytes.
#pragma once

#include "portatune/text/decode/decoder.h"

namespace portatune::text {

/// ByteLevel: converts the tokens' characters to bytes of UTF-8; invalid bytes become U+FFFD.
class ByteLevelDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override;
};

/// ByteFallback: joins adjacent tokens <0x00> to <0xFF> to UTF-8; if they are invalid, each becomes U+FFFD.
class ByteFallbackDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override;
};

}  // namespace portatune::text
