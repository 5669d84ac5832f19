// Runs with each optimizer: their checkpoints, and what a resume compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/optimizers.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::HasSubstr;

TrainingOptions sgd(double momentum) {
  return {.learning_rate = 0.1, .lr_scheduler_type = "constant", .optim = "sgd", .momentum = momentum};
}

// Every optimizer, and SGD with its slot and without.
std::vector<TrainingOptions> all_options() {
  std::vector<TrainingOptions> all{sgd(0.9)};
  for (const std::string& name : train::optimizer_names()) {
    all.push_back(
        {.learning_rate = 0.01, .lr_scheduler_type = "constant_with_warmup", .weight_decay = 0.1, .optim = name});
  }
  return all;
}

TEST(OptimizerRun, ResumeGivesTheLossOfTheUnbrokenRun) {
  for (const Device* device : {&decompositions(), &four_devices()}) {
    for (const TrainingOptions& options : all_options()) {
      SCOPED_TRACE(to_string(device->mesh()) + " " + options.optim);
      const TextClassification task = task_from(kTinyBert);
      const TemporaryFolder folder;
      Trainer whole(*device, task, options);
      whole.step(four_sentences(task));
      whole.save_checkpoint(folder / "saved");
      EXPECT_EQ(std::filesystem::exists(folder / "saved" / "optimizer.safetensors"),
                !train::optimizer_of(options)->slots(2).empty());
      whole.step(four_sentences(task));

      const TextClassification saved = task_from(folder / "saved");
      Trainer second(*device, saved, options);
      second.resume(folder / "saved");
      second.step(four_sentences(saved));
      EXPECT_EQ(second.step(four_sentences(saved)).loss(), whole.step(four_sentences(task)).loss());
    }
  }
}

TEST(OptimizerRun, DoesNotContinueARunWithAnother) {
  const train::RunFacts adamw = train::facts_of({}, {}), sgd_facts = train::facts_of(sgd(0.9), {});
  EXPECT_THAT(message_of<UsageError>([&] { train::require_same_run("saved", adamw, sgd_facts); }),
              HasSubstr("optim sgd"));
}

TEST(RunFacts, HaveTheOptionsThatTheOptimizerUses) {
  const auto has_beta2 = [](const std::string& name) {
    return train::facts_of({.optim = name}, {}).contains("adam_beta2");
  };
  EXPECT_TRUE(has_beta2("lion"));
  EXPECT_FALSE(has_beta2("adafactor"));
  EXPECT_EQ(train::facts_of({.max_grad_value = 0.5}, {}).at("max_grad_value"), "0.5");
}

TEST(RunFacts, CheckpointsWithoutAnOptimizerAreOfAdamW) {
  train::RunFacts former = train::facts_of({}, {});
  ASSERT_EQ(former.erase("optim"), 1);
  train::require_same_run("saved", former, train::facts_of({}, {}));
}

}  // namespace
}  // namespace portatune::test
