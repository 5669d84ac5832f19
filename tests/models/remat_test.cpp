// Gradient checkpointing: for every architecture, a step that computes layers again gives the same loss, norm, weights
// and moments as a step that stores all values.
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "portatune/analysis/parity/optimizer_steps.h"
#include "portatune/analysis/parity/reference_task.h"

namespace portatune::test {
namespace {

class RematOf : public ::testing::TestWithParam<std::string> {
 protected:
  const parity::ReferenceCase reference_{case_folder(GetParam())};
  const parity::ReferenceTask task_{reference_};

  std::vector<Tensor> step(const Device& device, Remat remat) const {
    const train::StepProgram program = train::step_program(task_, signature_of(task_, reference_), {.remat = remat});
    const std::vector<Tensor> arguments = start_of_step(program, task_, reference_, 1e-3f, {3, 4});
    return evaluate(program.function.results, program.function.parameters, arguments, device);
  }
};

// The policy kDots does not depend on the layers of a model.
TEST_P(RematOf, DoesNotChangeResults) {
  const std::vector<Tensor> wanted = step(kernels(), Remat::kNone);
  std::vector<Remat> policies = {Remat::kLayers};
  if (is_in_small_sample(GetParam())) policies.push_back(Remat::kDots);
  for (const Remat policy : policies) {
    const std::vector<Tensor> found = step(kernels(), policy);
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!is_float(wanted[i].dtype())) continue;
      EXPECT_EQ(to_floats(found[i].view()), to_floats(wanted[i].view())) << "result " << i;
    }
  }
}

// Ensures that the test above is not passed by models without such layers.
TEST_P(RematOf, HasLayersToRecompute) {
  const train::Signature batch = signature_of(task_, reference_);
  const auto has_barrier = [&](Remat remat) {
    const std::string text = to_stablehlo(train::step_program(task_, batch, {.remat = remat}).function, {});
    return text.find("stablehlo.optimization_barrier") != std::string::npos;
  };
  EXPECT_FALSE(has_barrier(Remat::kNone));
  EXPECT_TRUE(has_barrier(Remat::kLayers));
  EXPECT_TRUE(has_barrier(Remat::kDots));
}

TEST(SmallSample, HasNamesOfCases) {
  const std::vector<std::string> whole = whole_cases();
  for (const char* name : kSmallSample) EXPECT_TRUE(std::ranges::binary_search(whole, name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Models, RematOf, ::testing::ValuesIn(whole_cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
