#include "portatune/text/decode/pieces.h"

#include <utility>

#include "portatune/text/decode/cleanup.h"

namespace portatune::text {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  size_t at = 0;
  for (size_t found = text.find(from); found != std::string_view::npos; found = text.find(from, at)) {
    result.append(text.substr(at, found - at)).append(to);
    at = found + from.size();
  }
  return result.append(text.substr(at));
}

void WordPieceDecoder::decode(std::vector<std::string>& tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i > 0) token = token.starts_with(prefix_) ? token.substr(prefix_.size()) : " " + token;
    if (cleanup_) token = clean_up(token, Cleanup::kTokenizers);
  }
}

void BpeDecoder::decode(std::vector<std::string>& tokens) const {
  if (suffix_.empty()) return;
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = replaced(tokens[i], suffix_, i + 1 < tokens.size() ? " " : "");
}

void MetaspaceDecoder::decode(std::vector<std::string>& tokens) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = replaced(tokens[i], replacement_, i == 0 && prepended_ ? "" : " ");
  }
}

}  // namespace portatune::text
