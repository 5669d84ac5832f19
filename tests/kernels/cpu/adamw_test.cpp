#include "portatune/kernels/cpu/update/adamw.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

constexpr AdamWConstants kConstants{.beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F, .weight_decay = 0.01F};

struct State {
  std::vector<float> p, m, v;
};

// A step as torch.optim.AdamW documents it, in double.
void naive_step(std::vector<double>& p, std::vector<double>& m, std::vector<double>& v, const std::vector<float>& g,
                double lr, int step, double factor, double weight_decay) {
  for (size_t i = 0; i < p.size(); ++i) {
    const double gradient = g[i] * factor;
    p[i] -= lr * weight_decay * p[i];
    m[i] = 0.9 * m[i] + 0.1 * gradient;
    v[i] = 0.999 * v[i] + 0.001 * gradient * gradient;
    p[i] -= lr * (m[i] / (1 - std::pow(0.9, step))) / (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8);
  }
}

void step(const Workers& workers, const AdamWConstants& constants, State& state, const std::vector<float>& g, double lr,
          int step, double factor, float make = 1) {
  const float hyper[] = {static_cast<float>(lr), static_cast<float>(1 / (1 - std::pow(0.9, step))),
                         static_cast<float>(1 / (1 - std::pow(0.999, step))), static_cast<float>(factor), make};
  adamw(workers, constants, hyper, static_cast<int64_t>(g.size()), state.p.data(), state.m.data(), state.v.data(),
        g.data());
}

TEST(AdamW, MatchesTheFormulaOverSeveralSteps) {
  const TestWorkers workers;
  for (const int64_t size : {1, 3, 31, 33, 127, 70'001}) {
    State state{random_array<float>(size, 1), std::vector<float>(static_cast<size_t>(size)),
                std::vector<float>(static_cast<size_t>(size))};
    std::vector<double> p = to_doubles(state.p), m = to_doubles(state.m), v = to_doubles(state.v);
    for (int t = 1; t <= 5; ++t) {
      const auto g = random_array<float>(size, 10 + static_cast<uint32_t>(t));
      step(workers, kConstants, state, g, 1e-2, t, 0.5);
      naive_step(p, m, v, g, 1e-2, t, 0.5, 0.01);
    }
    expect_close(state.p, p, 1e-6);
    expect_close(state.m, m, 1e-6);
    expect_close(state.v, v, 1e-6);
  }
}

TEST(AdamW, FirstStepMovesEveryParameterByTheLearningRate) {
  State state{{1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  step(CallerOnly(), {.beta1 = 0.9F, .beta2 = 0.999F, .eps = 0, .weight_decay = 0}, state, {5, -3, 0.001F}, 0.25, 1, 1);
  EXPECT_NEAR(state.p[0], 0.75, 1e-6);
  EXPECT_NEAR(state.p[1], 1.25, 1e-6);
  EXPECT_NEAR(state.p[2], 0.75, 1e-6);
}

TEST(AdamW, WithoutAGradientOnlyDecays) {
  State state{{2}, {0}, {0}};
  step(CallerOnly(), {.beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F, .weight_decay = 0.5F}, state, {0}, 0.5, 1, 1);
  EXPECT_FLOAT_EQ(state.p[0], 1.5F);
}

TEST(AdamW, KeepsAllValuesOfASkippedStep) {
  State state{{2, -1}, {0.5, 3}, {0.25, 0}};
  const State before = state;
  step(CallerOnly(), kConstants, state, {NAN, INFINITY}, 0.1, 1, NAN, 0);
  EXPECT_EQ(state.p, before.p);
  EXPECT_EQ(state.m, before.m);
  EXPECT_EQ(state.v, before.v);
}

}  // namespace
}  // namespace portatune::kernels
