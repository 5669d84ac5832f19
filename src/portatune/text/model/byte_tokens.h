// The tokens <0x00> to <0xFF>, which spell unknown text in models with byte_fallback.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "portatune/text/model/vocabulary.h"

namespace portatune::text {

class ByteTokens {
 public:
  explicit ByteTokens(const Vocabulary& vocabulary);

  /// True if the vocabulary has a token for each byte of `text`.
  bool spell(std::string_view text) const;
  /// The token of a byte; below 0 if there is none.
  int32_t id_of(char byte) const { return ids_[static_cast<unsigned char>(byte)]; }

 private:
  std::array<int32_t, 256> ids_;
};

}  // namespace portatune::text
