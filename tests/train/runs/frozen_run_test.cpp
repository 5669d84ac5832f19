// A run with frozen parameters: its weights, its checkpoints, and what a resume compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFrozen = "embeddings.word_embeddings.weight";
constexpr const char* kTrained = "encoder.layer.0.output.dense.weight";

const TrainingOptions kFrozenOptions{.learning_rate = 0.1, .lr_scheduler_type = "constant", .freeze = {"embeddings"}};

// Tensors of a file whose names end so: the weight with and without the prefix "bert.", or all its slots.
std::vector<std::vector<float>> tensors(const std::filesystem::path& path, const std::string& name) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(path);
  std::vector<std::vector<float>> found;
  for (const io::SafetensorsFile::Entry& entry : file.entries()) {
    if (entry.name.ends_with(name)) found.push_back(to_floats(file.view(entry)));
  }
  return found;
}

TEST(FrozenRun, KeepsTheFrozenWeightsAlone) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, kFrozenOptions);
  trainer.step(two_sentences(task));
  trainer.save_checkpoint(folder / "saved");
  const auto weight = [](const std::filesystem::path& model, const char* name) {
    return tensors(model / "model.safetensors", name).at(0);
  };
  EXPECT_EQ(weight(folder / "saved", kFrozen), weight(kTinyBert, kFrozen));
  EXPECT_NE(weight(folder / "saved", kTrained), weight(kTinyBert, kTrained));
  EXPECT_EQ(tensors(folder / "saved" / "optimizer.safetensors", kTrained).size(), 2);
  EXPECT_TRUE(tensors(folder / "saved" / "optimizer.safetensors", kFrozen).empty());
}

TEST(FrozenRun, ResumeGivesTheLossOfTheUnbrokenRun) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer whole(decompositions(), task, kFrozenOptions);
  whole.step(two_sentences(task));
  whole.save_checkpoint(folder / "saved");
  whole.step(two_sentences(task));

  const TextClassification saved = task_from(folder / "saved");
  Trainer second(decompositions(), saved, kFrozenOptions);
  second.resume(folder / "saved");
  second.step(two_sentences(saved));
  EXPECT_EQ(second.step(two_sentences(saved)).loss(), whole.step(two_sentences(task)).loss());
}

TEST(FrozenRun, ContinuesNoRunThatTrainedAll) {
  EXPECT_THAT(message_of<UsageError>([] {
                train::require_same_run("saved", train::facts_of({}, {}), train::facts_of(kFrozenOptions, {}));
              }),
              HasSubstr("freeze"));
}

}  // namespace
}  // namespace portatune::test
