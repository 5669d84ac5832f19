#include "portatune/text/decode/strings.h"

namespace portatune::text {

void FuseDecoder::decode(std::vector<std::string>& tokens) const {
  std::string all;
  for (const std::string& token : tokens) all += token;
  tokens.assign(1, std::move(all));
}

void StripDecoder::decode(std::vector<std::string>& tokens) const {
  for (std::string& token : tokens) {
    std::string_view kept = token;
    for (int64_t i = 0; i < start_ && kept.starts_with(content_); ++i) kept.remove_prefix(content_.size());
    for (int64_t i = 0; i < stop_ && kept.ends_with(content_); ++i) kept.remove_suffix(content_.size());
    token = std::string(kept);
  }
}

void ReplaceDecoder::decode(std::vector<std::string>& tokens) const {
  for (std::string& token : tokens) {
    if (token.empty()) continue;
    std::vector<Span> matches;
    pattern_->find(token, matches);
    Normalized text;
    text.assign(token, 0, false);
    text.replace(matches, content_);
    token = text.text();
  }
}

}  // namespace portatune::text
