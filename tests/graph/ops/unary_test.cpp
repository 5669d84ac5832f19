#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"

namespace portatune::test {

struct UnaryCase {
  const char* name;
  Value (*build)(const Value&);
  double (*wanted)(double);
  double shift;  // shift of random numbers in [-1, 1) into the function's domain
};

class Unary : public ::testing::TestWithParam<UnaryCase> {};

TEST_P(Unary, EqualsTheStandardLibrary) {
  const UnaryCase& c = GetParam();
  const Tensor x = random({3, 5});
  const std::vector<double> found = elements(c.build(constant(x) + c.shift));
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], c.wanted(x.as<double>()[i] + c.shift), 1e-12);
}

TEST_P(Unary, GradientMatchesFiniteDifferences) {
  const UnaryCase& c = GetParam();
  check_gradient([&](const Values& x) { return c.build(x[0] + c.shift); }, {random({3, 5})});
}

INSTANTIATE_TEST_SUITE_P(Functions, Unary,
                         ::testing::Values(UnaryCase{"neg", neg, [](double x) { return -x; }, 0},
                                           UnaryCase{"abs", abs, [](double x) { return std::abs(x); }, 0},
                                           UnaryCase{"exp", exp, [](double x) { return std::exp(x); }, 0},
                                           UnaryCase{"expm1", expm1, [](double x) { return std::expm1(x); }, 0},
                                           UnaryCase{"log", log, [](double x) { return std::log(x); }, 1.5},
                                           UnaryCase{"log1p", log1p, [](double x) { return std::log1p(x); }, 1},
                                           UnaryCase{"sqrt", sqrt, [](double x) { return std::sqrt(x); }, 1.5},
                                           UnaryCase{"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5},
                                           UnaryCase{"tanh", tanh, [](double x) { return std::tanh(x); }, 0},
                                           UnaryCase{"logistic", logistic,
                                                     [](double x) { return 1 / (1 + std::exp(-x)); }, 0},
                                           UnaryCase{"erf", erf, [](double x) { return std::erf(x); }, 0},
                                           UnaryCase{"sin", sin, [](double x) { return std::sin(x); }, 0},
                                           UnaryCase{"cos", cos, [](double x) { return std::cos(x); }, 0}),
                         [](const auto& info) { return info.param.name; });

TEST(Unary, RefusesIntegersWhereTheFunctionIsOnReals) {
  expect_shape_error([] { exp(constant(Tensor({2}, {1, 2}))); }, {"exponential", "int32[2]", "float"});
}

TEST(Unary, AbsHasNoSlopeAtZero) {
  const Value x = constant(Tensor({3}, {-2.0, 0.0, 3.0}));
  EXPECT_EQ(elements(gradients(sum(abs(x)), Values{x})[0]), (std::vector<double>{-1, 0, 1}));
}

TEST(LogicalNot, NegatesBools) {
  const Value x = constant(Tensor({2}, {1.0, 3.0}));
  EXPECT_EQ(elements(logical_not(compare(Direction::kLess, x, full(x.type(), 2)))), (std::vector<double>{0, 1}));
}

}  // namespace portatune::test
