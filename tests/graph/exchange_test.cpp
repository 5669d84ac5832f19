#include "portatune/graph/exchange.h"

#include <gtest/gtest.h>

#include "portatune/ops.h"

namespace portatune {
namespace {

TEST(Exchange, CountsTheBytesOfARing) {
  const Mesh mesh{.data = 2, .fsdp = 2};
  const Value part = parameter("part", {DType::kFloat32, {6}});
  const Value whole = all_gather(part, 0, mesh, {MeshAxis::kFsdp});
  const Value gradient = reduce_scatter(whole * 2.0, 0, mesh, {MeshAxis::kFsdp});
  const Exchange exchange =
      exchange_of({.parameters = {part}, .results = {all_reduce(gradient, mesh, {MeshAxis::kData})}, .mesh = mesh});
  EXPECT_EQ(exchange.parts, 24 + 24) << "to the other of two devices";
  EXPECT_EQ(exchange.sums, 24) << "half of the array, twice";
}

// Between the halves a device updates its shard. Together they exchange as much as one sum.
TEST(Exchange, CountsBothHalvesOfASumAlongData) {
  const Mesh mesh{.data = 4};
  const MeshAxes data{MeshAxis::kData};
  const Value gradient = parameter("gradient", {DType::kFloat32, {8}});
  const Value updated = all_gather(reduce_scatter(gradient, 0, mesh, data) * 2.0, 0, mesh, data);
  const auto exchange = [&](const Value& result) {
    return exchange_of({.parameters = {gradient}, .results = {result}, .mesh = mesh});
  };
  EXPECT_EQ(exchange(updated).parts, 0);
  EXPECT_EQ(exchange(updated).sums, 24 + 24);
  EXPECT_EQ(exchange(all_reduce(gradient, mesh, data)).sums, 24 + 24);
}

TEST(Exchange, CountsBytesOfTheSentType) {
  const Mesh mesh{.fsdp = 2};
  const Value part = parameter("part", {DType::kFloat32, {6}});
  const Value whole = all_gather(part, 0, mesh, {MeshAxis::kFsdp}, DType::kBFloat16);
  const Exchange forward = exchange_of({.parameters = {part}, .results = {whole}, .mesh = mesh});
  EXPECT_EQ(forward.parts, 12);
  const Exchange both =
      exchange_of({.parameters = {part}, .results = gradients(sum(whole), Values{part}), .mesh = mesh});
  EXPECT_EQ(both.parts, 24) << "gradients are not rounded";
}

TEST(Exchange, CountsEachIterationOfALoop) {
  const Mesh mesh{.tensor = 2};
  const Value x = parameter("x", {DType::kFloat32, {6}}), index = parameter("index", {DType::kInt32, {}});
  const Value part = all_reduce(dynamic_slice(x, 0, index * 2.0, 2), mesh, {MeshAxis::kTensor});
  const Value sum_of_parts = loop_sum({part}, index, 3)[0];
  EXPECT_EQ(exchange_of({.parameters = {x}, .results = {sum_of_parts}, .mesh = mesh}).sums, 3 * 2 * 4);
}

// With remat the weights are gathered again in the backward pass.
TEST(Exchange, CountsRecomputedGathers) {
  const Mesh mesh{.fsdp = 2};
  const auto parts_of = [&](Remat policy) {
    const Value x = parameter("x", {DType::kFloat32, {8}}), part = parameter("part", {DType::kFloat32, {4}});
    const Value y = x * all_gather(part, 0, mesh, {MeshAxis::kFsdp});
    const Values wrt{x, part};
    return exchange_of(
               {.parameters = {x, part}, .results = gradients(sum(tanh(remat(x, y, policy))), wrt), .mesh = mesh})
        .parts;
  };
  EXPECT_EQ(parts_of(Remat::kNone), 16 + 16) << "the weights and their gradient";
  EXPECT_EQ(parts_of(Remat::kLayers), 16 + 16 + 16);
}

}  // namespace
}  // namespace portatune
