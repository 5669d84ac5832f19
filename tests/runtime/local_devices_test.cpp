#include "portatune/runtime/local_devices.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "portatune/device.h"
#include "portatune/error.h"

namespace portatune {
namespace {

using testing::ElementsAre;

// A process of a group without exchanges.
class Process final : public ProcessGroup {
 public:
  Process(int64_t rank, int64_t size) : rank_(rank), size_(size) {}
  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }
  void all_reduce(Members, std::span<const float>, std::span<float>) override { FAIL(); }
  void all_gather(Members, std::span<const std::byte>, std::span<std::byte>) override { FAIL(); }
  void reduce_scatter(Members, std::span<const float>, std::span<float>) override { FAIL(); }
  std::shared_ptr<KeyValueStore> store() override { return nullptr; }
  std::shared_ptr<ProcessGroup> duplicate() override { return nullptr; }
  void abort(int) override { std::abort(); }

 private:
  const int64_t rank_, size_;
};

TEST(LocalDevices, AreAContiguousRangePerRank) {
  const Mesh mesh{.data = 2, .fsdp = 3};
  EXPECT_THAT(local_devices(mesh, nullptr), ElementsAre(0, 1, 2, 3, 4, 5));
  const Process second(1, 3);
  EXPECT_THAT(local_devices(mesh, &second), ElementsAre(2, 3));
}

TEST(BatchShare, IsTheRowsOfLocalDevices) {
  const Process second(1, 2);
  EXPECT_TRUE(batch_share({.data = 4}, nullptr).is_all());
  EXPECT_EQ(batch_share({.data = 2, .fsdp = 2}, &second), (BatchShare{.parts = 4, .begin = 2, .end = 4}));
  // Devices along tensor hold the same rows, even if they belong to two processes.
  EXPECT_TRUE(batch_share({.tensor = 2}, &second).is_all());
  EXPECT_EQ(batch_share({.fsdp = 2, .tensor = 2}, &second), (BatchShare{.parts = 2, .begin = 1, .end = 2}));
  EXPECT_EQ(batch_share({.fsdp = 3, .tensor = 2}, &second), (BatchShare{.parts = 3, .begin = 1, .end = 3}));
  const Process of_four(1, 4);
  EXPECT_THROW(batch_share({.data = 2}, &of_four), UsageError);
  EXPECT_THROW(batch_share({.data = 6}, &of_four), UsageError);
}

TEST(Reading, NeedsNoOtherProcessIfOneHasAllParts) {
  const Process second(1, 2);
  const Reading reading = plan_reading({.data = 2, .fsdp = 2}, {MeshAxis::kFsdp}, &second);
  EXPECT_THAT(reading.processes, ElementsAre(1));
  EXPECT_THAT(reading.devices, ElementsAre(ElementsAre(2, 3)));
}

TEST(Reading, TakesEachPartFromOneDevice) {
  const Process second(1, 2);
  const Reading reading = plan_reading({.fsdp = 2, .tensor = 2}, {MeshAxis::kFsdp}, &second);
  EXPECT_THAT(reading.processes, ElementsAre(0, 1));
  EXPECT_THAT(reading.devices, ElementsAre(ElementsAre(0), ElementsAre(2)));
}

// For every division of a mesh into processes, those that read together have the same plan and all parts.
TEST(Reading, IsTheSameInAllParticipatingProcesses) {
  constexpr MeshAxis kData = MeshAxis::kData, kFsdp = MeshAxis::kFsdp, kTensor = MeshAxis::kTensor;
  for (const Mesh& mesh :
       {Mesh{.data = 4}, Mesh{.data = 2, .fsdp = 3}, Mesh{.data = 3, .fsdp = 2, .tensor = 2},
        Mesh{.data = 2, .fsdp = 2, .tensor = 2}, Mesh{.fsdp = 6, .tensor = 2}, Mesh{.data = 2, .tensor = 3}}) {
    for (const MeshAxes& over : {MeshAxes{kFsdp}, {kTensor}, {kTensor, kFsdp}, {kData, kFsdp}}) {
      for (int64_t size = 1; size <= mesh.devices(); ++size) {
        if (mesh.devices() % size != 0) continue;
        const std::string what = to_string(mesh) + " in " + std::to_string(size);
        for (int64_t rank = 0; rank < size; ++rank) {
          const Process process(rank, size);
          const Reading reading = plan_reading(mesh, over, &process);
          ASSERT_NE(std::ranges::find(reading.processes, rank), reading.processes.end()) << what;
          std::set<int64_t> indices;
          for (size_t i = 0; i < reading.processes.size(); ++i) {
            const Process other(reading.processes[i], size);
            const Reading others = plan_reading(mesh, over, &other);
            ASSERT_EQ(others.processes, reading.processes) << what;
            ASSERT_EQ(others.devices, reading.devices) << what;
            ASSERT_EQ(reading.devices[i].size(), reading.devices[0].size()) << what;
            for (const int64_t device : reading.devices[i]) {
              ASSERT_NE(std::ranges::count(local_devices(mesh, &other), device), 0) << what;
              indices.insert(mesh.index(device, over));
            }
          }
          ASSERT_EQ(std::ssize(indices), mesh.size(over)) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace portatune
