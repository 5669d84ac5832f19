#include "portatune/tasks/objectives/masking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

constexpr int64_t kRows = 40, kLength = 500;
constexpr int32_t kToken = 7, kMask = 3;
constexpr int64_t kVocabulary = 1000;

struct MaskedIds {
  std::vector<int32_t> ids, labels;
};

// Rows of one token, where the word at position i is `word(i)`.
template <class Word>
MaskedIds mask(Word word, uint32_t key, double probability = 0.15) {
  std::vector<int32_t> ids(kRows * kLength, kToken), words, seeds;
  for (int64_t row = 0; row < kRows; ++row) {
    seeds.push_back(static_cast<int32_t>(row * 977));
    for (int64_t i = 0; i < kLength; ++i) words.push_back(word(i));
  }
  const auto array = [](Shape shape, const std::vector<int32_t>& values) {
    return constant(Tensor(std::move(shape), std::span<const int32_t>(values)));
  };
  const tasks::Masked masked = tasks::mask_tokens(
      array({kRows, kLength}, ids), array({kRows, kLength}, words), array({kRows}, seeds),
      constant(Tensor({2}, {key, 99u})), {.probability = probability, .mask_id = kMask, .vocab_size = kVocabulary});
  const std::vector<Tensor> found = evaluate({masked.input_ids, masked.labels});
  const auto vector = [](const Tensor& t) {
    return std::vector<int32_t>(t.as<int32_t>().begin(), t.as<int32_t>().end());
  };
  return {vector(found[0]), vector(found[1])};
}

int32_t each_for_itself(int64_t i) { return static_cast<int32_t>(i); }

TEST(Masking, ChoosesAShareOfTheTokensAndMasksMostOfThem) {
  const MaskedIds found = mask(each_for_itself, 1);
  double chosen = 0, hidden = 0, kept = 0, random = 0;
  std::vector<int> halves(2);
  for (size_t i = 0; i < found.ids.size(); ++i) {
    if (found.labels[i] == -100) {
      EXPECT_EQ(found.ids[i], kToken);
      continue;
    }
    EXPECT_EQ(found.labels[i], kToken);
    ++chosen;
    hidden += found.ids[i] == kMask;
    kept += found.ids[i] == kToken;
    if (found.ids[i] == kMask || found.ids[i] == kToken) continue;
    ++random;
    ASSERT_GE(found.ids[i], 0);
    ASSERT_LT(found.ids[i], kVocabulary);
    ++halves[found.ids[i] >= kVocabulary / 2];
  }
  // Four standard deviations of these counts.
  EXPECT_NEAR(chosen / static_cast<double>(found.ids.size()), 0.15, 0.0101);
  EXPECT_NEAR(hidden / chosen, 0.8, 0.03);
  EXPECT_NEAR(kept / chosen, 0.1, 0.022);
  EXPECT_NEAR(random / chosen, 0.1, 0.022);
  EXPECT_NEAR(halves[0], halves[1], 4 * std::sqrt(random));
}

TEST(Masking, NeverChoosesTokensWithoutAWord) {
  const MaskedIds found = mask([](int64_t i) { return i % 2 == 0 ? -1 : static_cast<int32_t>(i); }, 1, 0.9);
  for (size_t i = 0; i < found.ids.size(); i += 2) ASSERT_EQ(found.labels[i], -100);
}

TEST(Masking, ChoosesAllTokensOfAWordTogether) {
  const MaskedIds found = mask([](int64_t i) { return static_cast<int32_t>(i / 5); }, 1, 0.3);
  int words = 0;
  for (size_t i = 0; i < found.labels.size(); i += 5) {
    for (size_t k = 1; k < 5; ++k) ASSERT_EQ(found.labels[i + k], found.labels[i]);
    words += found.labels[i] != -100;
  }
  EXPECT_NEAR(words / (kRows * kLength / 5.0), 0.3, 0.03);
}

TEST(Masking, DependsOnKeyAndExampleAlone) {
  const MaskedIds once = mask(each_for_itself, 1), again = mask(each_for_itself, 1), other = mask(each_for_itself, 2);
  EXPECT_EQ(once.ids, again.ids);
  EXPECT_NE(once.labels, other.labels);
  const auto row = [&](int64_t r) {
    return std::vector<int32_t>(once.labels.begin() + r * kLength, once.labels.begin() + (r + 1) * kLength);
  };
  EXPECT_NE(row(0), row(1));
}

}  // namespace
}  // namespace portatune::test
