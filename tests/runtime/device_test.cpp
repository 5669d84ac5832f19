// Devices of a mesh, and refused uses of them. tests/graph/ops/collectives_test.cpp tests what they compute.
#include "portatune/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/runtime/sharded_array.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const Device& two_devices() {
  static const Device device({.mesh = {.data = 2}, .use_cache = false});
  return device;
}

TEST(MeshOfDevices, NeedsTheNumberOfNamedDevices) {
  const std::string text = message_of<UsageError>([] { Device({.device = "cuda:0,1,2,3"}); });
  EXPECT_THAT(text, HasSubstr("4 devices"));
  EXPECT_THAT(text, HasSubstr("data=4"));
}

TEST(MeshOfDevices, RefusesEmptyAxesAndTooManyDevices) {
  EXPECT_THAT(message_of<UsageError>([] { Device({.mesh = {.data = 0}}); }), HasSubstr("at least 1"));
  EXPECT_THAT(message_of<UsageError>([] { Device({.mesh = {.tensor = 0}}); }), HasSubstr("at least 1"));
  EXPECT_THAT(message_of<UsageError>([] { Device({.mesh = {.data = 1 << 20}}); }), HasSubstr("data=1048576"));
}

TEST(Sharding, PartsJoinToTheArray) {
  const Tensor whole({2, 4, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  const Tensor second = part_at(whole.view(), 1, 2, 1);
  EXPECT_EQ(second.shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(second.as<int32_t>(), ElementsAre(4, 5, 6, 7, 12, 13, 14, 15));
  for (const int64_t axis : {0, 1, 2}) {
    const Tensor again = join({part_at(whole.view(), axis, 2, 0), part_at(whole.view(), axis, 2, 1)}, axis);
    EXPECT_EQ(again.shape(), whole.shape());
    EXPECT_TRUE(std::ranges::equal(again.as<int32_t>(), whole.as<int32_t>())) << axis;
  }
}

TEST(Sharding, InterleavesPiecesOfBlocks) {
  const Tensor blocks({1, 12}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const Tensor pieces = interleave(blocks.view(), 1, 3, 2);
  EXPECT_THAT(pieces.as<int32_t>(), ElementsAre(0, 1, 10, 11, 20, 21, 2, 3, 12, 13, 22, 23));
  EXPECT_THAT(interleave(pieces.view(), 1, 2, 3).as<int32_t>(), ElementsAreArray(blocks.as<int32_t>()));
}

// Two blocks of rows: the first device along tensor has the upper half of each block, the second the lower half. The
// devices along fsdp have one row of these halves each.
TEST(MeshOfDevices, HoldsPartsOfEveryBlock) {
  const Device device({.mesh = {.fsdp = 2, .tensor = 2}, .use_cache = false});
  const Sharding sharding{.over = {MeshAxis::kTensor, MeshAxis::kFsdp}, .blocks = 2};
  const Tensor whole({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  const DeviceArray array = device.put(whole.view(), sharding);
  EXPECT_EQ(array.type(), whole.type());
  EXPECT_THAT(array.to_host().as<int32_t>(), ElementsAreArray(whole.as<int32_t>()));

  const Value x = parameter("x", part_of(whole.type(), sharding, device.mesh()));
  const Sharding as_they_are{.over = sharding.over};
  const Program program =
      device.compile({.parameters = {x}, .results = {x + x}, .mesh = device.mesh(), .result_shardings = {as_they_are}});
  DeviceArray argument = device.put(whole.view(), sharding);
  EXPECT_THAT(program.run({&argument}).front().to_host().as<int32_t>(), ElementsAre(0, 2, 40, 42, 20, 22, 60, 62));
}

TEST(MeshOfDevices, ReturnsWholeArrays) {
  const Tensor values = random(TensorType{DType::kFloat32, {4, 6}});
  for (const Sharding& sharding :
       {Sharding{}, Sharding{.axis = 0, .over = kBatchAxes}, Sharding{.axis = 1, .over = kBatchAxes}}) {
    const DeviceArray array = two_devices().put(values.view(), sharding);
    EXPECT_EQ(array.type(), values.type());
    EXPECT_TRUE(std::ranges::equal(array.to_host().as<float>(), values.as<float>()));
  }
}

TEST(MeshOfDevices, RefusesArraysOfOtherMeshes) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  const Program program = two_devices().compile({.parameters = {x}, .results = {x + 1.0}, .mesh = {.data = 2}});
  DeviceArray array = decompositions().put(Tensor({2}, {1.0f, 2.0f}));
  EXPECT_THAT(message_of<UsageError>([&] { program.run({&array}); }), HasSubstr("data=2"));
}

TEST(MeshOfDevices, RefusesAWrongNumberOfResultShardings) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  const Function function{.parameters = {x}, .results = {x + 1.0, x}, .mesh = {.data = 2}, .result_shardings = {{}}};
  EXPECT_THAT(message_of<UsageError>([&] { two_devices().compile(function); }), HasSubstr("1 shardings"));
}

TEST(MeshOfDevices, RefusesCollectivesOfOtherMeshes) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  const Value sum = all_reduce(x, {.fsdp = 2}, {MeshAxis::kFsdp});
  const Function function{.parameters = {x}, .results = {sum}, .mesh = {.data = 2}};
  EXPECT_THAT(message_of<UsageError>([&] { two_devices().compile(function); }), HasSubstr("fsdp=2"));
}

// The program x + number.
Function sum_with(double number) {
  const Value x = parameter("x", {DType::kFloat32, {2}});
  return {.parameters = {x}, .results = {x + number}};
}

TEST(Device, KeepsItsNewestExecutables) {
  const Device device({.use_cache = false});
  EXPECT_FALSE(device.compile(sum_with(1)).from_cache());
  const Program again = device.compile(sum_with(1));
  EXPECT_TRUE(again.from_cache());
  DeviceArray x = device.put(Tensor({2}, {1.0f, 2.0f}));
  EXPECT_THAT(again.run({&x}).front().to_host().as<float>(), ElementsAre(2, 3));
  for (int other = 2; other < 40; ++other) EXPECT_FALSE(device.compile(sum_with(other)).from_cache()) << other;
  EXPECT_FALSE(device.compile(sum_with(1)).from_cache());
}

}  // namespace
}  // namespace portatune::test
