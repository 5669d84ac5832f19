// Comparison with transformers' classes: tests/data/generation.json, made by
// tests/oracle/tasks/make_generation_cases.py.
#include "portatune/generate/search/processors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"

namespace portatune::generate {
namespace {

using nlohmann::json;
using Kept = std::vector<std::vector<int64_t>>;

class Processors : public testing::Test {
 protected:
  Processors() : golden_(json::parse(std::ifstream(PORTATUNE_TEST_DATA "/generation.json"))) {}

  Shape shape() const {
    return {static_cast<int64_t>(golden_["logits"].size()), static_cast<int64_t>(golden_["logits"][0].size())};
  }
  static std::vector<double> flat(const json& rows) {
    std::vector<double> values;
    for (const json& row : rows) values.insert(values.end(), row.begin(), row.end());
    return values;
  }
  Value logits() const {
    const std::vector<double> values = flat(golden_["logits"]);
    const std::vector<float> narrow(values.begin(), values.end());
    return constant(Tensor(shape(), std::span<const float>(narrow)));
  }
  // The tokens that occur in the texts of the golden file.
  Value seen() const {
    Tensor seen(TensorType{DType::kBool, shape()});
    for (size_t row = 0; row < golden_["ids"].size(); ++row) {
      for (const size_t id : golden_["ids"][row]) {
        seen.data()[row * static_cast<size_t>(shape()[1]) + id] = std::byte{1};
      }
    }
    return constant(seen);
  }
  static Value scalar(double value) { return constant(Tensor({}, {static_cast<float>(value)})); }
  static Value count(const std::string& value) { return constant(Tensor({}, {std::stoi(value)})); }

  Kept kept(const Value& processed) const {
    const std::vector<double> values = test::elements(processed);
    Kept kept(static_cast<size_t>(shape()[0]));
    for (size_t i = 0; i < values.size(); ++i) {
      const auto width = static_cast<size_t>(shape()[1]);
      if (values[i] > kExcluded) kept[i / width].push_back(static_cast<int64_t>(i % width));
    }
    return kept;
  }

  const json golden_;
};

TEST_F(Processors, PenaliseRepetitionAsTransformersDoes) {
  for (const auto& [penalty, rows] : golden_["repetition_penalty"].items()) {
    const std::vector<double> found = test::elements(repetition_penalty(logits(), seen(), scalar(std::stod(penalty))));
    const std::vector<double> wanted = flat(rows);
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6) << penalty << " " << i;
  }
}

TEST_F(Processors, KeepTheMostProbableTokens) {
  for (const auto& [k, rows] : golden_["top_k"].items()) {
    EXPECT_EQ(kept(keep_top_k(logits(), count(k))), rows.get<Kept>()) << "k " << k;
  }
}

TEST_F(Processors, KeepTheFewestTokensWithProbabilityP) {
  for (const auto& [p, rows] : golden_["top_p"].items()) {
    EXPECT_EQ(kept(keep_top_p(logits(), scalar(std::stod(p)))), rows.get<Kept>()) << "p " << p;
  }
}

TEST_F(Processors, ApplyInOrder) {
  const Value cooled = logits() / scalar(1.7);
  EXPECT_EQ(kept(keep_top_p(keep_top_k(cooled, count("9")), scalar(0.8))), golden_["chain"].get<Kept>());
}

TEST_F(Processors, DoNotChangeKeptLogits) {
  const std::vector<double> before = flat(golden_["logits"]);
  for (const Value& processed : {keep_top_k(logits(), count("4")), keep_top_p(logits(), scalar(0.9))}) {
    const std::vector<double> after = test::elements(processed);
    for (size_t i = 0; i < after.size(); ++i) {
      EXPECT_TRUE(after[i] <= kExcluded || after[i] == before[i]) << i;
    }
  }
  EXPECT_EQ(test::elements(keep_top_k(logits(), count("0"))), before);
  EXPECT_EQ(test::elements(keep_top_p(logits(), scalar(1))), before);
}

TEST_F(Processors, KeepTokensOfEqualLogitsTogether) {
  const Value equal = constant(Tensor({1, 4}, {1.0F, 2.0F, 2.0F, 0.0F}));
  const auto is_kept = [](const Value& processed) {
    std::vector<bool> kept;
    for (const double value : test::elements(processed)) kept.push_back(value > kExcluded);
    return kept;
  };
  const std::vector<bool> both{false, true, true, false};
  EXPECT_EQ(is_kept(keep_top_k(equal, count("1"))), both);
  EXPECT_EQ(is_kept(keep_top_p(equal, scalar(0.3))), both);
}

}  // namespace
}  // namespace portatune::generate
