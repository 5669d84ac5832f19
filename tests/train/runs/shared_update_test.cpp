#include "portatune/train/program/shared_update.h"

#include <gtest/gtest.h>

namespace portatune::test {
namespace {

constexpr Mesh kEight{.data = 8}, kGrid{.data = 2, .tensor = 2};
const MeshAxes kData{MeshAxis::kData}, kTensor{MeshAxis::kTensor}, kTensorAndData{MeshAxis::kTensor, MeshAxis::kData};

// The sharding of the update of a parameter with this shape, which devices hold by `held`.
Sharding sharding(const Shape& shape, const Sharding& held, const Mesh& mesh) {
  const TensorType type{DType::kFloat32, shape};
  const Value part = parameter("p", part_of(type, held, mesh));
  return train::SharedUpdate({.name = "p", .value = part, .initializer = {}, .sharding = held, .type = type}, mesh)
      .sharding();
}

TEST(SharedUpdate, DividesTheFirstDivisibleAxis) {
  EXPECT_EQ(sharding({16, 24}, {}, kEight), (Sharding{.axis = 0, .over = kData}));
  EXPECT_EQ(sharding({30522, 384}, {}, kEight), (Sharding{.axis = 1, .over = kData}));
  EXPECT_EQ(sharding({2, 12}, {}, kEight), Sharding{});
}

TEST(SharedUpdate, KeepsVectorsWhole) { EXPECT_EQ(sharding({64}, {}, kEight), Sharding{}); }

TEST(SharedUpdate, KeepsParametersShardedAlongFsdp) {
  const Sharding held{.axis = 1, .over = {MeshAxis::kFsdp}};
  EXPECT_EQ(sharding({16, 24}, held, {.data = 2, .fsdp = 2}), held);
  EXPECT_EQ(sharding({3, 5}, {}, {.data = 2, .fsdp = 2}), Sharding{});
}

// A shard cannot be divided along another axis than its own.
TEST(SharedUpdate, DividesShardsAlongTensorFurther) {
  EXPECT_EQ(sharding({3, 8}, {.axis = 1, .over = kTensor}, kGrid), (Sharding{.axis = 1, .over = kTensorAndData}));
  EXPECT_EQ(sharding({8, 6}, {.axis = 1, .over = kTensor}, kGrid), (Sharding{.axis = 1, .over = kTensor}));
}

// Queries, keys and values; each device along tensor has some of their heads.
TEST(SharedUpdate, KeepsBlocks) {
  const Sharding found = sharding({24, 5}, {.axis = 0, .over = kTensor, .blocks = 3}, kGrid);
  EXPECT_EQ(found, (Sharding{.over = kTensorAndData, .blocks = 3}));
  EXPECT_EQ(part_of({DType::kFloat32, {24, 5}}, found, kGrid).shape, (Shape{6, 5}));
}

}  // namespace
}  // namespace portatune::test
