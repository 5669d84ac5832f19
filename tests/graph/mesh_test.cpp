#include "portune/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portune/error.h"

namespace portune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MeshAxes kData{MeshAxis::kData}, kFsdp{MeshAxis::kFsdp};

TEST(Mesh, NumbersDevicesWithTheLastAxisAsTheMinorOne) {
  const Mesh mesh{.data = 2, .fsdp = 3};
  EXPECT_EQ(mesh.devices(), 6);
  EXPECT_EQ(mesh.place(4, kData), 1);
  EXPECT_EQ(mesh.place(4, kFsdp), 1);
  EXPECT_EQ(mesh.place(4, kBatchAxes), 4);
  EXPECT_EQ(mesh.place(4, {MeshAxis::kFsdp, MeshAxis::kData}), 3);
}

TEST(Mesh, GroupsDevicesThatDifferAlongTheAxes) {
  const Mesh mesh{.data = 2, .fsdp = 2};
  EXPECT_THAT(mesh.groups(kData), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(mesh.groups(kFsdp), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(mesh.groups({MeshAxis::kFsdp, MeshAxis::kData}), ElementsAre(ElementsAre(0, 2, 1, 3)));
  EXPECT_THAT(mesh.groups({}), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3)));
}

TEST(Mesh, IsReadAndWrittenByItsAxes) {
  EXPECT_EQ(parse_mesh("fsdp=2,data=4"), (Mesh{.data = 4, .fsdp = 2}));
  EXPECT_EQ(to_string(Mesh{.data = 4, .fsdp = 2}), "data=4,fsdp=2");
  EXPECT_EQ(to_string(Mesh{.fsdp = 8}), "fsdp=8");
  EXPECT_EQ(to_string(Mesh{}), "data=1");
}

TEST(Mesh, RefusesWhatIsNone) {
  for (const char* text : {"", "8", "data", "data=", "data=0", "data=-2", "data=x", "date=8", "data=2,data=2",
                           "data=2,", "data=2 ,fsdp=2", "data=99999999999", "data=1048576,fsdp=2"}) {
    try {
      parse_mesh(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("data, fsdp")) << text;
    }
  }
}

TEST(Sharding, TellsTheTypeOfAPart) {
  const Mesh mesh{.data = 2, .fsdp = 2};
  const TensorType whole{DType::kFloat32, {3, 8}};
  EXPECT_EQ(part_of(whole, {}, mesh), whole);
  EXPECT_EQ(part_of(whole, {.axis = 1, .over = kBatchAxes}, mesh), (TensorType{DType::kFloat32, {3, 2}}));
  EXPECT_THROW(part_of(whole, {.axis = 0, .over = kFsdp}, mesh), ShapeError);
  EXPECT_THROW(part_of({DType::kFloat32, {}}, {.axis = 0, .over = kFsdp}, mesh), ShapeError);
}

}  // namespace
}  // namespace portune::test
