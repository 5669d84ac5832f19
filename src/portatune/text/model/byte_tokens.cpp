#include "portatune/text/model/byte_tokens.h"

#include <algorithm>
#include <string>

namespace portatune::text {

ByteTokens::ByteTokens(const Vocabulary& vocabulary) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (size_t byte = 0; byte < ids_.size(); ++byte) {
    const std::string token = std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + '>';
    ids_[byte] = vocabulary.find(token).value_or(-1);
  }
}

bool ByteTokens::spell(std::string_view text) const {
  return std::all_of(text.begin(), text.end(), [this](char byte) { return id_of(byte) >= 0; });
}

}  // namespace portatune::text
