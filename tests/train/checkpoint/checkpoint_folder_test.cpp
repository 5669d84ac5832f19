#include "portatune/train/checkpoint/checkpoint_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "train/renew_manifest.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void make_checkpoint(const std::filesystem::path& folder, int64_t step) {
  const std::filesystem::path path = train::checkpoint_path(folder, step);
  std::filesystem::create_directory(path);
  train::write_position(path, {.step = step});
}

std::vector<int64_t> steps_in(const std::filesystem::path& folder) {
  std::vector<int64_t> steps;
  for (const train::SavedCheckpoint& checkpoint : train::checkpoints_in(folder)) steps.push_back(checkpoint.step);
  return steps;
}

TEST(CheckpointFolder, ListsCheckpointsByTheirSteps) {
  const TemporaryFolder folder;
  for (const int64_t step : {100, 20, 3}) make_checkpoint(folder.path(), step);
  std::filesystem::create_directory(folder / "checkpoint-200");  // without a state
  std::filesystem::create_directory(folder / "checkpoint-x");
  write_text(folder / "checkpoint-300", "");
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(3, 20, 100));
  EXPECT_EQ(train::checkpoints_in(folder.path()).back().path, folder / "checkpoint-100");
  EXPECT_THAT(steps_in(folder / "nowhere"), IsEmpty());
}

TEST(CheckpointFolder, IsThatInWhichACheckpointLies) {
  EXPECT_EQ(train::folder_of_checkpoint("/out/checkpoint-20"), "/out");
  EXPECT_EQ(train::folder_of_checkpoint("/out/checkpoint-20/"), "/out");
  EXPECT_EQ(train::folder_of_checkpoint("checkpoint-20"), std::filesystem::current_path());
}

TEST(CheckpointFolder, FindsTheNewestValidCheckpoint) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 10, 15, 20}) {
    make_checkpoint(folder.path(), step);
    renew_manifest(train::checkpoint_path(folder.path(), step));
  }
  EXPECT_EQ(train::newest_checkpoint(folder.path()).path, folder / "checkpoint-20");
  write_text(folder / "checkpoint-20" / "training_state.json", "{");
  std::filesystem::remove(folder / "checkpoint-15" / "training_state.json");
  make_checkpoint(folder.path(), 25);  // without a manifest
  const train::NewestCheckpoint newest = train::newest_checkpoint(folder.path());
  EXPECT_EQ(newest.path, folder / "checkpoint-10");
  EXPECT_THAT(newest.newer_damaged, ElementsAre(HasSubstr("checkpoint-25: no checkpoint_manifest.json"),
                                                HasSubstr("checkpoint-20/training_state.json: 1 byte, expected "),
                                                HasSubstr("checkpoint-15/training_state.json: no such file")));
  EXPECT_EQ(train::newest_checkpoint(folder / "nowhere").path, "");
}

TEST(CheckpointFolder, KeepsTheNewestCheckpointsAndSparedOnes) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 10, 15, 100}) make_checkpoint(folder.path(), step);
  train::remove_old_checkpoints(folder.path(), 2, 0, {folder / "checkpoint-5"});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(5, 15, 100));
  train::remove_old_checkpoints(folder.path(), 1, 0, {});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(100));
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint-15"));
}

TEST(CheckpointFolder, KeepsTheBestCheckpointAmongTheNewest) {
  const TemporaryFolder folder;
  for (const int64_t step : {5, 10, 15, 100}) make_checkpoint(folder.path(), step);
  train::remove_old_checkpoints(folder.path(), 2, 10, {});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(10, 100));
  train::remove_old_checkpoints(folder.path(), 1, 10, {folder / "checkpoint-100"});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(10, 100));
  train::remove_old_checkpoints(folder.path(), 1, 10, {});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(10));
  train::remove_old_checkpoints(folder.path(), 0, 10, {});
  EXPECT_THAT(steps_in(folder.path()), IsEmpty());
}

TEST(CheckpointFolder, WithoutABestStepTheCheckpointBeforeTheFirstStepIsAnOldOne) {
  const TemporaryFolder folder;
  for (const int64_t step : {0, 5, 10}) make_checkpoint(folder.path(), step);
  train::remove_old_checkpoints(folder.path(), 2, 0, {});
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(5, 10));
}

// The move before a removal appends to the name, which must not exceed 255 bytes.
TEST(CheckpointFolder, ReportsWhatCannotBeRemovedAndRemovesTheOthers) {
  const TemporaryFolder folder;
  for (const int64_t step : {1, 2, 3}) make_checkpoint(folder.path(), step);
  const std::filesystem::path elsewhere = folder / std::string(250, 'x');
  std::filesystem::rename(folder / "checkpoint-1", elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, folder / "checkpoint-1");
  EXPECT_THAT(train::remove_old_checkpoints(folder.path(), 1, 0, {}), HasSubstr("checkpoint-1 could not be removed: "));
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(1, 3));
  EXPECT_EQ(train::remove_old_checkpoints(folder.path(), 2, 0, {}), "");
}

TEST(CheckpointFolder, ErrorForAFolderThatCannotBeListed) {
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  EXPECT_THROW(train::checkpoints_in(folder / "file"), IoError);
}

TEST(CheckpointFolder, RecognisesItsFolders) {
  const TemporaryFolder folder;
  const auto is_own = [&](const std::string& name) {
    return train::is_of_checkpoint(std::filesystem::directory_entry(folder / name));
  };
  make_checkpoint(folder.path(), 10);
  EXPECT_TRUE(is_own("checkpoint-10"));
  for (const char* name :
       {"checkpoint-20", "tmp.checkpoint-20.0123456789abcdef", "old.checkpoint-20.0123456789abcdef"}) {
    std::filesystem::create_directory(folder / name);
    EXPECT_TRUE(is_own(name)) << name;
  }
  write_text(folder / "checkpoint-20" / "notes.txt", "mine");
  EXPECT_FALSE(is_own("checkpoint-20")) << "it has no state, and something else";
  write_text(folder / "checkpoint-30", "");
  EXPECT_FALSE(is_own("checkpoint-30")) << "a file";
  for (const char* name :
       {"checkpoint-", "checkpoint-x", "checkpoint-1x", "checkpoint", "my.checkpoint-20.0", "tmp."}) {
    std::filesystem::create_directory(folder / name);
    EXPECT_FALSE(is_own(name)) << name;
  }
}

TEST(CheckpointFolder, CleansUpAfterCrashedRuns) {
  const TemporaryFolder folder;
  make_checkpoint(folder.path(), 20);
  make_checkpoint(folder.path(), 30);
  std::filesystem::rename(folder / "checkpoint-30", folder / "old.checkpoint-30.0123456789abcdef");
  std::filesystem::create_directory(folder / "tmp.checkpoint-40.0123456789abcdef");
  std::filesystem::create_directory(folder / "tmp.checkpoint-mine");
  train::recover_checkpoints(folder.path());
  EXPECT_THAT(steps_in(folder.path()), ElementsAre(20, 30));
  EXPECT_FALSE(std::filesystem::exists(folder / "tmp.checkpoint-40.0123456789abcdef"));
  EXPECT_TRUE(std::filesystem::exists(folder / "tmp.checkpoint-mine"));
}

}  // namespace
}  // namespace portatune::test
