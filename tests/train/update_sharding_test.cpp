#include "portune/train/update_sharding.h"

#include <gtest/gtest.h>

namespace portune::test {
namespace {

constexpr Mesh kEight{.data = 8}, kGrid{.data = 2, .fsdp = 2, .tensor = 2};

// Of a parameter of that shape, which devices hold parts of by `held`.
Sharding divided(const Shape& shape, const Sharding& held, const Mesh& mesh) {
  const Value part = parameter("p", part_of({DType::kFloat32, shape}, held, mesh));
  return train::update_sharding(
      {.name = "p", .value = part, .initializer = {}, .sharding = held, .type = {DType::kFloat32, shape}}, mesh);
}

TEST(UpdateSharding, IsByTheFirstAxisThatCanBeDivided) {
  EXPECT_EQ(divided({16, 24}, {}, kEight), (Sharding{.axis = 0, .over = {MeshAxis::kData}}));
  EXPECT_EQ(divided({30522, 384}, {}, kEight), (Sharding{.axis = 1, .over = {MeshAxis::kData}}));
  EXPECT_EQ(divided({2, 12}, {}, kEight), Sharding{});
}

TEST(UpdateSharding, LeavesVectorsWhole) { EXPECT_EQ(divided({64}, {}, kEight), Sharding{}); }

TEST(UpdateSharding, IsThatOfTheParameterOnOneDeviceAlongData) {
  const Sharding held{.axis = 1, .over = {MeshAxis::kFsdp}};
  EXPECT_EQ(divided({16, 24}, held, {.fsdp = 2}), held);
}

// Along another axis than its own a part cannot be divided.
TEST(UpdateSharding, DividesPartsFurther) {
  const MeshAxes fsdp{MeshAxis::kFsdp}, fsdp_and_data{MeshAxis::kFsdp, MeshAxis::kData};
  EXPECT_EQ(divided({3, 8}, {.axis = 1, .over = fsdp}, kGrid), (Sharding{.axis = 1, .over = fsdp_and_data}));
  EXPECT_EQ(divided({8, 6}, {.axis = 1, .over = fsdp}, kGrid), (Sharding{.axis = 1, .over = fsdp}));
}

// Queries, keys and values of which devices along tensor have some heads each.
TEST(UpdateSharding, KeepsBlocks) {
  const Sharding held{.axis = 0, .over = {MeshAxis::kTensor, MeshAxis::kFsdp}, .blocks = 3};
  const Sharding found = divided({24, 5}, held, kGrid);
  EXPECT_EQ(found, (Sharding{.over = {MeshAxis::kTensor, MeshAxis::kFsdp, MeshAxis::kData}, .blocks = 3}));
  EXPECT_EQ(part_of({DType::kFloat32, {24, 5}}, found, kGrid).shape, (Shape{3, 5}));
}

}  // namespace
}  // namespace portune::test
