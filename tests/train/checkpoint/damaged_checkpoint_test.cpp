// Resuming from a checkpoint that has changed since it was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "train/plane_task.h"
#include "train/renew_manifest.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

struct Damage {
  const char* name;
  std::function<void(const fs::path& file)> apply;
};

const std::vector<Damage> kDamages = {
    {"a flipped bit", flip_a_bit},
    {"a missing end", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); }},
    {"more bytes", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) + 1); }},
    {"nothing", [](const fs::path& file) { fs::resize_file(file, 0); }},
    {"garbage", [](const fs::path& file) { write_text(file, "{"); }},
    {"no file", [](const fs::path& file) { fs::remove(file); }},
};

TEST(DamagedCheckpoint, ErrorNamesTheFile) {
  const TemporaryFolder folder;
  const fs::path checkpoint = folder / "run" / "checkpoint-2";
  const PlaneTask task;
  Trainer(kernels(), task, {})
      .fit(plane_batches(2), {.num_train_epochs = 1, .checkpoints = {.folder = folder / "run", .every = 2}});
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(checkpoint)) names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, UnorderedElementsAre("model.safetensors", "optimizer.safetensors", "training_state.json",
                                          "data_state.json", "checkpoint_manifest.json"));
  for (const std::string& name : names) {
    const std::string whole = text_of(checkpoint / name);
    for (const Damage& damage : kDamages) {
      SCOPED_TRACE(name + " with " + damage.name);
      damage.apply(checkpoint / name);
      Trainer trainer(kernels(), task, {});
      EXPECT_THAT(message_of<CheckpointError>([&] { trainer.resume(checkpoint); }), HasSubstr(name));
      EXPECT_EQ(trainer.steps(), 0);
      write_text(checkpoint / name, whole);
    }
  }
  Trainer trainer(kernels(), task, {});
  trainer.resume(checkpoint);
  EXPECT_EQ(trainer.steps(), 2);
}

}  // namespace
}  // namespace portatune::test
