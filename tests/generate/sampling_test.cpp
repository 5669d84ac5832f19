#include "portatune/generate/search/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "graph/evaluate.h"
#include "portatune/generate/search/processors.h"

namespace portatune::generate {
namespace {

constexpr int64_t kRows = 20000;
const std::vector<float> kLogits = {0.0F, 1.0F, -2.0F, 0.5F, 2.0F, -0.5F};

// Samples a token for each of kRows prompts with equal logits.
std::vector<double> draw(uint32_t seed, int32_t token, uint32_t first_prompt = 0, double excluded_from = 1e9) {
  std::vector<uint32_t> numbers(kRows);
  std::iota(numbers.begin(), numbers.end(), first_prompt);
  std::vector<float> logits = kLogits;
  for (float& x : logits) x = x > excluded_from ? static_cast<float>(kExcluded) : x;
  const auto vocab = static_cast<int64_t>(logits.size());
  const Value rows = broadcast_to(constant(Tensor({1, vocab}, std::span<const float>(logits))), {kRows, vocab});
  return test::elements(sample(rows, {.key = constant(Tensor({2}, {seed, 0x9E3779B9U})),
                                      .numbers = constant(Tensor({kRows}, std::span<const uint32_t>(numbers))),
                                      .token = constant(Tensor({}, {token}))}));
}

std::vector<double> probabilities() {
  std::vector<double> p;
  for (const float x : kLogits) p.push_back(std::exp(x));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

// Pearson's statistic of counts and expected counts.
double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  return sum;
}

TEST(Sample, FollowsTheSoftmax) {
  std::vector<double> expected = probabilities();
  for (double& p : expected) p *= kRows;
  for (const uint32_t seed : {1U, 2U, 77U}) {
    for (const int32_t token : {0, 1, 5}) {
      std::vector<double> counts(kLogits.size());
      for (const double id : draw(seed, token)) counts[static_cast<size_t>(id)] += 1;
      EXPECT_LT(chi_square(counts, expected), 25.7) << "5 degrees of freedom, 0.01 %; seed " << seed;
    }
  }
}

TEST(Sample, IsIndependentAcrossTokensAndSeeds) {
  const std::vector<double> p = probabilities(), first = draw(1, 0);
  for (const std::vector<double>& second : {draw(1, 1), draw(2, 0), draw(1, 0, 1)}) {
    // The expected counts of pairs are products if the two tokens are independent.
    std::vector<double> counts(p.size() * p.size()), expected;
    for (size_t i = 0; i < first.size(); ++i) {
      counts[static_cast<size_t>(first[i]) * p.size() + static_cast<size_t>(second[i])] += 1;
    }
    for (const double x : p) {
      for (const double y : p) expected.push_back(kRows * x * y);
    }
    EXPECT_LT(chi_square(counts, expected), 75.0) << "35 degrees of freedom, 0.01 %";
  }
}

TEST(Sample, DependsOnKeyPromptAndTokenAlone) {
  const std::vector<double> once = draw(3, 4);
  EXPECT_EQ(draw(3, 4), once);
  // Prompt 100 is row 100 of one batch and row 0 of another.
  const std::vector<double> later = draw(3, 4, 100);
  EXPECT_TRUE(std::equal(once.begin() + 100, once.end(), later.begin()));
  EXPECT_NE(draw(4, 4), once);
  EXPECT_NE(draw(3, 5), once);
}

TEST(Sample, NeverReturnsAnExcludedToken) {
  for (const double id : draw(1, 0, 0, 0.9)) EXPECT_LE(kLogits[static_cast<size_t>(id)], 0.9F);
}

TEST(MostProbable, IsTheFirstOfEquals) {
  EXPECT_EQ(test::elements(most_probable(constant(Tensor({2, 3}, {1.0F, 3.0F, 3.0F, 0.0F, -1.0F, -2.0F})))),
            (std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace portatune::generate
