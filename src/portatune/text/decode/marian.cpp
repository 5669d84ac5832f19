#include "portatune/text/decode/marian.h"

#include <algorithm>

#include "portatune/text/decode/pieces.h"
#include "portatune/text/pretokenize/sentencepiece_words.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

std::string without_spaces_at_ends(const std::string& text) {
  const UnicodeTables& tables = UnicodeTables::get();
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t first = at;
    if ((tables.properties(next_code_point(text, at)) & kSpace) != 0) continue;
    begin = std::min(begin, first);
    end = at;
  }
  return begin < end ? text.substr(begin, end - begin) : "";
}

}  // namespace

void MarianDecoder::decode(std::vector<std::string>& tokens) const {
  std::string text;
  bool begins = true;  // no piece with a text since the begin or the last special token
  for (const std::string& token : tokens) {
    if (special_tokens_.contains(token)) {
      text += token + " ";
      begins = true;
    } else if (!controls_.contains(token)) {
      const bool drops_space = begins && pieces_.contains(token) && token.starts_with(kVisibleSpace);
      const std::string piece = token.substr(drops_space ? std::string_view(kVisibleSpace).size() : 0);
      text += replaced(piece, kVisibleSpace, " ");
      begins = begins && piece.empty();
    }
  }
  tokens = {without_spaces_at_ends(text)};
}

}  // namespace portatune::text
