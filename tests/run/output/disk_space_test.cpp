#include "portatune/run/output/disk_space.h"

#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/train/optim/adafactor.h"
#include "portatune/train/optim/adamw.h"

namespace portatune::run {
namespace {

TEST(DiskSpace, ModelAloneTakesItsWeights) { EXPECT_EQ(most_bytes({.weights_bytes = 100}), 100); }

TEST(DiskSpace, FewCheckpointsAddToTheModel) {
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .slots_bytes = 200, .checkpoints = 2, .kept = 2}), 2 * 300 + 100);
}

TEST(DiskSpace, CheckpointHasTheSlotsOfItsOptimizer) {
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .slots_bytes = 100, .checkpoints = 2, .kept = 2}), 2 * 200 + 100);
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .checkpoints = 2, .kept = 2}), 2 * 100 + 100);
}

// A new checkpoint is complete before the oldest is removed.
TEST(DiskSpace, ManyCheckpointsTakeOneMoreThanAreKept) {
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .slots_bytes = 200, .checkpoints = 50, .kept = 2}), 3 * 300);
}

TEST(DiskSpace, OlderCheckpointsMakeRoomForNewerOnes) {
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .slots_bytes = 200, .checkpoints = 50, .kept = 2, .present = 2}), 300);
  EXPECT_EQ(most_bytes({.weights_bytes = 100, .slots_bytes = 200, .checkpoints = 50, .kept = 2, .present = 7}), 300);
}

TEST(DiskSpace, WeightsCountAsFloat32) {
  const TemporaryFolder folder;
  const Tensor half({DType::kFloat16, {2, 3}}), single({DType::kFloat32, {6}});
  io::write_safetensors(folder / "model.safetensors",
                        std::vector<NamedTensorView>{{"a", half.view()}, {"b", single.view()}});
  EXPECT_EQ(bytes_of_weights(folder.path()), 48);
  EXPECT_EQ(bytes_of_weights(folder / "nowhere"), 0);
  EXPECT_EQ(bytes_of_slots(folder.path(), *optim::adamw({})), 2 * 48);
  EXPECT_EQ(bytes_of_slots(folder.path(), *optim::adafactor(0)), (2 + 3 + 6) * 4);
}

TEST(DiskSpace, WeightsOfPytorchCount) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(std::filesystem::path(PORTATUNE_TEST_DATA) / "pytorch" / "python2_old.bin",
                             folder / "pytorch_model.bin");
  EXPECT_EQ(bytes_of_weights(folder.path()), 12);  // a weight with two elements, a bias with one
}

}  // namespace
}  // namespace portatune::run
