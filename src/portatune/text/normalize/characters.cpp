#include "portatune/text/normalize/characters.h"

#include "portatune/text/byte_level.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// Replaces each code point by those that visit(code point, put) passes to `put`.
template <class Visit>
void rewrite(Normalized& text, Visit&& visit) {
  Normalized result;
  result.clear_like(text);
  for (size_t at = 0; at < text.text().size();) {
    const Offsets origin = text.origin_at(at);
    visit(next_code_point(text.text(), at), [&](char32_t c) { result.append(c, origin); });
  }
  text = std::move(result);
}

bool is_removed_by_nmt(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}

bool is_space_for_nmt(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

}  // namespace

void Lowercase::normalize(Normalized& text) const {
  if (is_ascii(text.text())) {
    return text.map_ascii([](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  }
  const UnicodeTables& tables = UnicodeTables::get();
  rewrite(text, [&](char32_t c, auto&& put) {
    const bool changes = (tables.properties(c) & kUppercase) != 0;
    put(changes ? tables.lowercase(c) : c);
    if (c == 0x130) put(0x307);
  });
}

bool StripAccents::keeps(std::string_view text) const { return is_ascii(text); }

void StripAccents::normalize(Normalized& text) const {
  if (keeps(text.text())) return;
  const UnicodeTables& tables = UnicodeTables::get();
  rewrite(text, [&](char32_t c, auto&& put) {
    if ((tables.properties(c) & kCombiningMark) == 0) put(c);
  });
}

void Nmt::normalize(Normalized& text) const {
  rewrite(text, [](char32_t c, auto&& put) {
    if (!is_removed_by_nmt(c)) put(is_space_for_nmt(c) ? U' ' : c);
  });
}

void ByteLevelNormalizer::normalize(Normalized& text) const {
  Normalized result;
  result.clear_like(text);
  for (size_t at = 0; at < text.text().size(); ++at) {
    result.append(text_of_byte(static_cast<unsigned char>(text.text()[at])), text.origin_at(at));
  }
  text = std::move(result);
}

}  // namespace portatune::text
