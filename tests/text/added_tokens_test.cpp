#include "portatune/text/added_tokens.h"

#include <gtest/gtest.h>

#include <random>

namespace portatune::text {
namespace {

using Rows = std::vector<std::tuple<size_t, size_t, int32_t>>;

// The definition of the rule: from left to right, at each offset the longest token.
Rows found_one_by_one(const std::vector<std::string>& patterns, const std::string& text) {
  Rows rows;
  for (size_t at = 0; at < text.size();) {
    size_t longest = 0, index = 0;
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (patterns[i].size() <= longest || !text.substr(at).starts_with(patterns[i])) continue;
      longest = patterns[i].size();
      index = i;
    }
    if (longest > 0) rows.emplace_back(at, at + longest, static_cast<int32_t>(index));
    at += std::max<size_t>(longest, 1);
  }
  return rows;
}

// The search differs for patterns with one, few and many first bytes.
TEST(AddedTokens, FindsTheLongestFromLeftToRight) {
  const std::vector<std::string> all{"<m>", "<mask>", "[SEP]", "\u2581x", "~", "a word", "\x7f", "Q"};
  std::mt19937 random(6);
  for (size_t count = 0; count <= all.size(); ++count) {
    const std::vector<std::string> patterns(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    AddedTokens tokens;
    for (size_t i = 0; i < count; ++i) tokens.add(patterns[i], {.id = static_cast<int32_t>(i)});
    for (int example = 0; example < 500; ++example) {
      std::string text;
      for (auto left = random() % 12; left > 0; --left) {
        text += random() % 3 == 0 ? all[random() % all.size()] : std::string(random() % 20, 'b');
        if (random() % 4 == 0 && !text.empty()) text.pop_back();
      }
      std::vector<AddedTokens::Match> matches;
      tokens.find(text, matches);
      Rows rows;
      for (const AddedTokens::Match& match : matches) rows.emplace_back(match.begin, match.end, match.id);
      ASSERT_EQ(rows, found_one_by_one(patterns, text)) << text;
    }
  }
}

}  // namespace
}  // namespace portatune::text
