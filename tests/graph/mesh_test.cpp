#include "portatune/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MeshAxes kData{MeshAxis::kData}, kFsdp{MeshAxis::kFsdp}, kTensor{MeshAxis::kTensor};

TEST(Mesh, NumbersDevicesWithTheLastAxisAsMinor) {
  const Mesh mesh{.data = 2, .fsdp = 3};
  EXPECT_EQ(mesh.devices(), 6);
  EXPECT_EQ(mesh.index(4, kData), 1);
  EXPECT_EQ(mesh.index(4, kFsdp), 1);
  EXPECT_EQ(mesh.index(4, kBatchAxes), 4);
  EXPECT_EQ(mesh.index(4, {MeshAxis::kFsdp, MeshAxis::kData}), 3);
  const Mesh with_tensor{.data = 2, .fsdp = 3, .tensor = 4};
  EXPECT_EQ(with_tensor.devices(), 24);
  EXPECT_EQ(with_tensor.index(18, kTensor), 2);
  EXPECT_EQ(with_tensor.index(18, kBatchAxes), 4);
}

TEST(Mesh, GroupsDevicesThatDifferAlongTheAxes) {
  const Mesh mesh{.data = 2, .fsdp = 2};
  EXPECT_THAT(mesh.groups(kData), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(mesh.groups(kFsdp), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(mesh.groups({MeshAxis::kFsdp, MeshAxis::kData}), ElementsAre(ElementsAre(0, 2, 1, 3)));
  EXPECT_THAT(mesh.groups({}), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

// Devices along tensor share the same rows.
TEST(Mesh, HasNeighboursAlongTensor) {
  const Mesh mesh{.fsdp = 2, .tensor = 2};
  EXPECT_THAT(mesh.groups(kTensor), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(mesh.groups(kBatchAxes), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(mesh.groups({MeshAxis::kTensor, MeshAxis::kFsdp}), ElementsAre(ElementsAre(0, 2, 1, 3)));
}

TEST(Mesh, ReturnsTheOtherAxes) {
  EXPECT_EQ(other_axes(kFsdp), (MeshAxes{MeshAxis::kData, MeshAxis::kTensor}));
  EXPECT_EQ(other_axes({MeshAxis::kTensor, MeshAxis::kFsdp}), kData);
}

TEST(Mesh, IsParsedAndPrinted) {
  EXPECT_EQ(parse_mesh("fsdp=2,data=4"), (Mesh{.data = 4, .fsdp = 2}));
  EXPECT_EQ(to_string(Mesh{.data = 4, .fsdp = 2}), "data=4,fsdp=2");
  EXPECT_EQ(to_string(Mesh{.fsdp = 8}), "fsdp=8");
  EXPECT_EQ(parse_mesh("tensor=2,fsdp=4"), (Mesh{.fsdp = 4, .tensor = 2}));
  EXPECT_EQ(to_string(Mesh{.fsdp = 4, .tensor = 2}), "fsdp=4,tensor=2");
  EXPECT_EQ(to_string(Mesh{}), "data=1");
}

TEST(Mesh, RefusesInvalidText) {
  for (const char* text : {"", "8", "data", "data=", "data=0", "data=-2", "data=x", "date=8", "data=2,data=2",
                           "data=2,", "data=2 ,fsdp=2"}) {
    try {
      parse_mesh(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("data, fsdp, tensor")) << text;
    }
  }
  for (const char* text : {"data=99999999999", "data=1048576,fsdp=2"}) {
    EXPECT_THAT(message_of<UsageError>([&] { parse_mesh(text); }), HasSubstr("at most 1048576"));
  }
}

TEST(Sharding, ReturnsTheTypeOfAPart) {
  const Mesh mesh{.data = 2, .fsdp = 2};
  const TensorType whole{DType::kFloat32, {3, 8}};
  EXPECT_EQ(part_of(whole, {}, mesh), whole);
  EXPECT_EQ(part_of(whole, {.axis = 1, .over = kBatchAxes}, mesh), (TensorType{DType::kFloat32, {3, 2}}));
  EXPECT_THROW(part_of(whole, {.axis = 0, .over = kFsdp}, mesh), ShapeError);
  EXPECT_THROW(part_of({DType::kFloat32, {}}, {.axis = 0, .over = kFsdp}, mesh), ShapeError);
}

TEST(Sharding, NeedsAPartOfEveryBlock) {
  const Mesh mesh{.fsdp = 2, .tensor = 4};
  const auto part = [&](int64_t size, int64_t blocks) {
    const MeshAxes over{MeshAxis::kTensor, MeshAxis::kFsdp};
    return part_of({DType::kFloat32, {size}}, {.over = over, .blocks = blocks}, mesh).shape[0];
  };
  EXPECT_EQ(part(24, 3), 3);
  EXPECT_EQ(part(24, 1), 3);
  EXPECT_THROW(part(16, 3), ShapeError);
  EXPECT_THROW(part(12, 3), ShapeError);
}

}  // namespace
}  // namespace portatune::test
