// A run with SGD: its checkpoints, and what a resume compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::HasSubstr;

data::Example batch(const TextClassification& task) {
  const data::Dataset rows = data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad")});
  return *task.batches(rows, 2).iterate().next();
}

TextClassification task_from(const std::filesystem::path& folder) {
  return TextClassification(folder, {.max_length = 12, .labels = {"bad", "good"}});
}

TrainingOptions sgd(double momentum) {
  return {.learning_rate = 0.1, .lr_scheduler_type = "constant", .optim = "sgd", .momentum = momentum};
}

TEST(SgdRun, ResumeGivesTheLossOfTheUnbrokenRun) {
  for (const double momentum : {0.0, 0.9}) {
    const TextClassification task = task_from(kTinyBert);
    const TemporaryFolder folder;
    Trainer whole(decompositions(), task, sgd(momentum));
    whole.step(batch(task));
    whole.save_checkpoint(folder / "saved");
    EXPECT_EQ(std::filesystem::exists(folder / "saved" / "optimizer.safetensors"), momentum > 0);
    whole.step(batch(task));

    const TextClassification saved = task_from(folder / "saved");
    Trainer second(decompositions(), saved, sgd(momentum));
    second.resume(folder / "saved");
    second.step(batch(saved));
    EXPECT_EQ(second.step(batch(saved)).loss(), whole.step(batch(task)).loss()) << momentum;
  }
}

TEST(SgdRun, DoesNotContinueARunWithAdamW) {
  const train::RunFacts adamw = train::facts_of({}, {}), sgd_facts = train::facts_of(sgd(0.9), {});
  EXPECT_THAT(message_of<UsageError>([&] { train::require_same_run("saved", adamw, sgd_facts); }),
              HasSubstr("optim sgd"));
}

TEST(RunFacts, CheckpointsWithoutAnOptimizerAreOfAdamW) {
  train::RunFacts former = train::facts_of({}, {});
  ASSERT_EQ(former.erase("optim"), 1);
  train::require_same_run("saved", former, train::facts_of({}, {}));
}

}  // namespace
}  // namespace portatune::test
