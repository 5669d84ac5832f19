#include "portatune/text/decode/bytes.h"

#include <optional>

#include "portatune/text/byte_level.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte of a token such as <0x0A>. Rust's parser also accepts +A as a number of two digits.
std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  const int high = token[3] == '+' ? 0 : digit_of(token[3]), low = digit_of(token[4]);
  return high < 0 || low < 0 ? std::nullopt : std::optional(static_cast<char>(high * 16 + low));
}

}  // namespace

void ByteLevelDecoder::decode(std::vector<std::string>& tokens) const {
  std::string bytes;
  for (const std::string& token : tokens) bytes += bytes_of_token(token).value_or(token);
  tokens.assign(1, to_utf8(bytes));
}

void ByteFallbackDecoder::decode(std::vector<std::string>& tokens) const {
  std::vector<std::string> result;
  std::string bytes;  // bytes of the preceding byte tokens
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (is_utf8(bytes)) {
      result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\ufffd");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = byte_of(token)) {
      bytes += *byte;
    } else {
      flush();
      result.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(result);
}

}  // namespace portatune::text
