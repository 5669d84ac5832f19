#include "portatune/analysis/parity/parity.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "models/expect_passed.h"

namespace portatune::test {
namespace {

using parity::Comparison;
using parity::ParityResult;
using parity::ReferenceCase;

class Parity : public ::testing::TestWithParam<std::string> {
 protected:
  const ReferenceCase reference_{case_folder(GetParam())};
};

TEST_P(Parity, WithKernels) {
  const ParityResult result = check_parity(kernels(), reference_, DType::kFloat32);
  expect_passed(result);
  // All arrays of the case must have been compared.
  std::multiset<std::string> compared;
  for (const Comparison& c : result.comparisons) compared.insert(c.tensor);
  for (const char* file : {"expected", "grads", "after5"}) {
    for (const std::string& name : reference_.names(file)) EXPECT_TRUE(compared.contains(name)) << name;
  }
  for (const std::string& name : reference_.names("generate")) {
    EXPECT_TRUE(compared.contains(name) || !name.ends_with(".output")) << name;
  }
}

class SampledParity : public Parity {};

TEST_P(SampledParity, WithDecompositions) {
  expect_passed(check_parity(decompositions(), reference_, DType::kFloat32));
}

TEST_P(SampledParity, InBfloat16) {
  if (GetParam().starts_with("wav2vec2_pretraining")) GTEST_SKIP() << "rounding changes the most probable codevectors";
  expect_passed(check_parity(kernels(), reference_, DType::kBFloat16));
}

INSTANTIATE_TEST_SUITE_P(Models, Parity, ::testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, SampledParity, ::testing::ValuesIn(sampled_cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
