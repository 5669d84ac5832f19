#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "graph/ops/composites.h"
#include "portatune/error.h"
#include "portatune/graph/matrix_flops.h"
#include "portatune/ops.h"
#include "runtime/pjrt/aot.h"

namespace portatune::test {
namespace {

using Numbers = std::vector<double>;

// One convolution in two dimensions; those in one dimension have a second one of size 1.
struct Case {
  const char* name;
  int64_t batch, height, width, in, out, kernel_height, kernel_width;
  ConvolutionAxis down, across;
  int64_t groups = 1;

  Shape x() const { return {batch, height, width, in}; }
  Shape filter() const { return {out, in / groups, kernel_height, kernel_width}; }
  ConvolutionOptions options() const { return {.axes = {down, across}, .groups = groups}; }
};

const Case kCases[] = {
    {"Plain", 2, 5, 6, 3, 4, 2, 3, {}, {}},
    {"Strides", 2, 7, 9, 2, 3, 3, 2, {.stride = 2}, {.stride = 3}},
    {"StridesThatLeaveARest", 1, 8, 10, 2, 3, 3, 4, {.stride = 3}, {.stride = 4}},
    {"StridesBeyondTheFilter", 2, 9, 8, 2, 2, 1, 2, {.stride = 4}, {.stride = 3}},
    {"Padding", 2, 4, 5, 2, 3, 3, 4, {.low = 1, .high = 2}, {.low = 3, .high = 0}},
    {"PaddingBeyondTheFilter", 1, 3, 4, 2, 2, 2, 1, {.low = 3, .high = 2}, {.low = 0, .high = 2}},
    {"Dilation", 2, 8, 9, 2, 3, 3, 2, {.dilation = 2}, {.dilation = 3}},
    {"Groups", 2, 5, 6, 6, 9, 2, 3, {}, {.low = 1, .high = 1}, 3},
    {"Depthwise", 2, 5, 6, 4, 4, 3, 3, {.low = 1, .high = 1}, {.low = 1, .high = 1}, 4},
    {"Everything", 2, 11, 12, 4, 6, 3, 2, {2, 2, 1, 2}, {3, 1, 2, 3}, 2},
};

// The definition, element by element.
Numbers by_definition(const Case& c, const Tensor& x, const Tensor& filter, const Shape& y) {
  const auto place = [](const Shape& shape, int64_t a, int64_t b, int64_t i, int64_t j) {
    return static_cast<size_t>(((a * shape[1] + b) * shape[2] + i) * shape[3] + j);
  };
  Numbers result;
  const int64_t of_group = c.in / c.groups;
  for (int64_t n = 0; n < y.elements(); ++n) {
    const int64_t out = n % y[3], column = n / y[3] % y[2], row = n / y[3] / y[2] % y[1],
                  batch = n / y[3] / y[2] / y[1];
    double sum = 0;
    for (int64_t k = 0; k < of_group * c.kernel_height * c.kernel_width; ++k) {
      const int64_t j = k % c.kernel_width, i = k / c.kernel_width % c.kernel_height,
                    in = k / c.kernel_width / c.kernel_height;
      const int64_t h = row * c.down.stride - c.down.low + i * c.down.dilation;
      const int64_t w = column * c.across.stride - c.across.low + j * c.across.dilation;
      if (h < 0 || h >= c.height || w < 0 || w >= c.width) continue;
      const int64_t feature = out / (c.out / c.groups) * of_group + in;
      sum += x.as<double>()[place(c.x(), batch, h, w, feature)] * filter.as<double>()[place(c.filter(), out, in, i, j)];
    }
    result.push_back(sum);
  }
  return result;
}

class Convolution : public ::testing::TestWithParam<Case> {};

TEST_P(Convolution, SumsTheProductsOfItsDefinition) {
  const Case& c = GetParam();
  const Tensor x = random(c.x(), 1), filter = random(c.filter(), 2);
  const Value y = convolution(constant(x), constant(filter), c.options());
  const Numbers wanted = by_definition(c, x, filter, y.shape()), found = elements(y);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12) << i;
}

TEST_P(Convolution, GradientsMatchFiniteDifferences) {
  const Case& c = GetParam();
  check_gradient([&](const Values& x) { return convolution(x[0], x[1], c.options()); },
                 {random(c.x(), 1), random(c.filter(), 2)});
}

TEST_P(Convolution, CountsItsOperations) {
  const Case& c = GetParam();
  const Value x = parameter("x", {kF32, c.x()}), filter = parameter("filter", {kF32, c.filter()});
  const Value y = convolution(x, filter, c.options());
  const auto flops = [&](const Value& result) {
    return matrix_flops({.parameters = {x, filter}, .results = {result}}).at(kF32);
  };
  const double products = static_cast<double>(y.shape().elements() * c.filter().elements() / c.out);
  EXPECT_EQ(flops(y), 2 * products);
  EXPECT_EQ(flops(gradients(sum(y), {&filter, 1})[0]), 2 * products);
}

INSTANTIATE_TEST_SUITE_P(Ops, Convolution, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(ConvolutionOp, HasOneSpatialAxis) {
  const Value x = constant(Tensor({1, 4, 1}, {1.0, 2.0, 3.0, 4.0})), filter = constant(Tensor({1, 1, 2}, {10.0, 1.0}));
  const Value y = convolution(x, filter, {.axes = {{.stride = 2, .low = 1, .high = 1}}});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(elements(y), (Numbers{1, 23, 40}));
  check_gradient(
      [](const Values& v) { return convolution(v[0], v[1], {.axes = {{.low = 4, .high = 3}}, .groups = 3}); },
      {random({2, 7, 6}, 1), random({9, 2, 8}, 2)});
}

TEST(ConvolutionOp, ComputesInBfloat16) {
  const Value x = convert(constant(random(TensorType{kF32, {2, 9, 4}}, 1)), kBF16);
  const Value filter = convert(constant(random(TensorType{kF32, {6, 2, 3}}, 2)), kBF16);
  const ConvolutionOptions options{.axes = {{.low = 1, .high = 1}}, .groups = 2};
  const Numbers found = elements(convolution(x, filter, options));
  const Numbers wanted = elements(convolution(convert(x, kF32), convert(filter, kF32), options));
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 0.02);
}

TEST(ConvolutionOp, KernelMatchesTheDecomposition) {
  const std::vector<std::string> names{"portatune.convolution", "portatune.convolution_dfilter"};
  struct Sizes {
    int64_t frames, in, out, kernel, groups, low, high;
  };
  for (const Sizes& s : {Sizes{9, 6, 9, 4, 3, 2, 1}, Sizes{5, 4, 4, 1, 1, 0, 0}, Sizes{7, 10, 6, 90, 2, 45, 44},
                         Sizes{33, 8, 8, 5, 8, 2, 2}}) {
    const ConvolutionOptions options{.axes = {{.low = s.low, .high = s.high}}, .groups = s.groups};
    const std::vector<Tensor> x{f32({2, s.frames, s.in}, 1), f32({s.out, s.in / s.groups, s.kernel}, 2)};
    check_kernel(
        names, [&](const Values& v) { return convolution(v[0], v[1], options); }, x, 1e-5);
    const auto rounded = [&](const Values& v) {
      return convert(convolution(convert(v[0], kBF16), convert(v[1], kBF16), options), kF32);
    };
    check_kernel(names, rounded, x, 0.02);
  }
}

TEST(ConvolutionOp, ErrorsNameTheOperands) {
  const auto build = [](const Shape& x, const Shape& filter, const ConvolutionOptions& options) {
    return [=] { convolution(constant(random(x)), constant(random(filter)), options); };
  };
  expect_shape_error(build({2, 5, 3}, {4, 3, 2}, {}), {"convolution", "[2, 5, 3]", "0 spatial axes"});
  expect_shape_error(build({2, 5, 3}, {4, 2, 2}, {.axes = {{}}}), {"[4, 2, 2]", "in / groups", "1 groups"});
  expect_shape_error(build({2, 5, 4}, {3, 2, 2}, {.axes = {{}}, .groups = 2}), {"multiple of the groups"});
  expect_shape_error(build({2, 5, 3}, {4, 3, 6}, {.axes = {{}}}), {"spatial axis 0", "not longer than x"});
  expect_shape_error(build({2, 5, 3}, {4, 3, 2}, {.axes = {{.stride = 0}}}), {"positive strides"});
}

TEST(ConvolutionOp, RefusesASecondDerivativeByName) {
  const Value x = parameter("x", {kF32, {1, 5, 2}}), filter = parameter("filter", {kF32, {3, 2, 2}});
  const Value y = convolution(x, filter, {.axes = {{}}});
  const Value dx = gradients(sum(y * y), {&x, 1})[0];
  try {
    gradients(sum(dx), {&filter, 1});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("convolution"), std::string::npos) << error.what();
  }
}

class ConvolutionAot : public ::testing::TestWithParam<pjrt::AotTarget> {};

// A step over a convolution with groups, as wav2vec 2.0 has it.
TEST_P(ConvolutionAot, CompilesWithItsGradients) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const Value x = parameter("x", {kBF16, {2, 50, 64}}), filter = parameter("filter", {kBF16, {64, 16, 8}});
  const Value y = convolution(x, filter, {.axes = {{.low = 4, .high = 3}}, .groups = 4});
  const Values results = gradients(sum(convert(y * y, kF32)), Values{x, filter});
  const Function function{.parameters = {x, filter}, .results = results};
  EXPECT_NO_THROW(pjrt::aot_topology(GetParam()).compile(to_stablehlo(function, {})));
}

INSTANTIATE_TEST_SUITE_P(Aot, ConvolutionAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

}  // namespace
}  // namespace portatune::test
