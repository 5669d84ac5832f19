// What GPUs compute in another way than the decompositions, tested on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/composites.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::test {
namespace {

const Target kForGpu{.is_gpu = true};
constexpr int64_t kIdCount = 501, kRowWidth = 7, kTableRows = 5;

std::vector<Tensor> run_as_on_gpu(const Function& function, const std::vector<Tensor>& arguments) {
  return pjrt::run_on_cpu(to_stablehlo(function, kForGpu), arguments);
}

// Sums by row of `updates` [kIdCount, kRowWidth] in the order that starts at `first` and has steps of 7.
std::vector<float> scattered_sums_from(const Tensor& updates, int64_t first) {
  Tensor ids({DType::kInt32, {kIdCount}}), moved(updates.type());
  for (int64_t i = 0; i < kIdCount; ++i) {
    const int64_t from = (first + 7 * i) % kIdCount;
    ids.as<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(from % kTableRows);
    std::copy_n(&updates.as<float>()[static_cast<size_t>(from * kRowWidth)], kRowWidth,
                &moved.as<float>()[static_cast<size_t>(i * kRowWidth)]);
  }
  const Value x = parameter("x", updates.type()), where = parameter("ids", ids.type());
  const Function function{.parameters = {x, where}, .results = {scatter_add_rows(where, x, kTableRows)}};
  const std::vector<Tensor> results = run_as_on_gpu(function, {moved, ids});
  const auto values = results[0].as<float>();
  return {values.begin(), values.end()};
}

// Numbers of magnitudes from 1 to 2^-20.
Tensor numbers_of_many_sizes() {
  Tensor numbers = f32({kIdCount, kRowWidth});
  int exponent = 0;
  for (float& number : numbers.as<float>()) number = std::ldexp(number, -(exponent++ % 21));
  return numbers;
}

}  // namespace

TEST(GpuTarget, ScatteredSumsAreTheSameBitsInEachOrder) {
  const Tensor updates = numbers_of_many_sizes();
  const std::vector<float> sums = scattered_sums_from(updates, 0);
  EXPECT_EQ(scattered_sums_from(updates, 123), sums);
  EXPECT_EQ(scattered_sums_from(updates, 400), sums);
}

TEST(GpuTarget, ScatteredSumsAreExact) {
  const Tensor updates = numbers_of_many_sizes();
  std::vector<double> wanted(kTableRows * kRowWidth);
  for (int64_t i = 0; i < kIdCount * kRowWidth; ++i) {
    wanted[static_cast<size_t>(i / kRowWidth % kTableRows * kRowWidth + i % kRowWidth)] +=
        updates.as<float>()[static_cast<size_t>(i)];
  }
  const std::vector<float> found = scattered_sums_from(updates, 0);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-7 * std::abs(wanted[i])) << i;
}

TEST(GpuTarget, ScatteredSumsOfHugeNumbersAndZerosAreExact) {
  Tensor updates(TensorType{DType::kFloat32, {kIdCount, kRowWidth}});
  EXPECT_EQ(scattered_sums_from(updates, 0), std::vector<float>(kTableRows * kRowWidth, 0));
  std::ranges::fill(updates.as<float>(), 1e35F);
  for (const float sum : scattered_sums_from(updates, 0)) EXPECT_NEAR(sum, 1e37, 0.02e37);
}

TEST(GpuTarget, ScatteredSumsWithAnInfiniteNumberAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Tensor updates = f32({kIdCount, kRowWidth});
    updates.as<float>()[3] = bad;
    EXPECT_TRUE(std::ranges::none_of(scattered_sums_from(updates, 0), [](float sum) { return std::isfinite(sum); }))
        << bad;
  }
}

TEST(GpuTarget, LayerNormAgreesWithItsDecomposition) {
  const Value x = parameter("x", {kBF16, {4, 6, 32}}), gamma = parameter("gamma", {kF32, {32}});
  const Value beta = parameter("beta", {kF32, {32}}), dy = parameter("dy", {kF32, {4, 6, 32}});
  const Value y = layer_norm(x, gamma, beta, 1e-5);
  Values results = gradients(sum(convert(y, kF32) * dy), Values{x, gamma, beta});
  results.push_back(y);
  for (Value& result : results) result = convert(result, kF32);
  const Function function{.parameters = {x, gamma, beta, dy}, .results = results};
  const std::vector<Tensor> arguments{random(x.type()), f32({32}, 2), f32({32}, 3), f32({4, 6, 32}, 4)};
  const std::vector<Tensor> found = run_as_on_gpu(function, arguments);
  const std::vector<Tensor> wanted = pjrt::run_on_cpu(to_stablehlo(function, {}), arguments);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto a = found[i].as<float>(), b = wanted[i].as<float>();
    for (size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5 * std::max(1.0F, std::abs(b[k]))) << i;
  }
  EXPECT_NE(to_stablehlo(function, kForGpu).find("optimization_barrier"), std::string::npos);
}

}  // namespace portatune::test
