// Training, evaluation and checkpoints on several devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Seven rows: in batches of 4 the last lacks one.
data::Dataset seven_rows() {
  return data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad"),
                              sentence("it was a good story", "good"), sentence("a bad play", "bad"),
                              sentence("we thought it was very good", "good"), sentence("the film was bad", "bad"),
                              sentence("good", "good")});
}

TEST(MeshTraining, CountsEachExampleOnceInAnEvaluation) {
  const TextClassification task = task_from(kTinyBert);
  Trainer one(kernels(), task, {}), four(four_devices(), task, {});
  const Scores wanted = one.evaluate(task.batches(seven_rows(), 4)),
               found = four.evaluate(task.batches(seven_rows(), 4));
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].first, wanted[i].first);
    EXPECT_NEAR(found[i].second, wanted[i].second, 1e-6) << wanted[i].first;
  }
}

TEST(MeshTraining, PredictsTheRowsInTheirOrder) {
  const TextClassification task = task_from(kTinyBert);
  Trainer one(kernels(), task, {}), four(four_devices(), task, {});
  const auto logits = [&](Trainer& trainer) {
    std::vector<float> all;
    trainer.predict(task.batches(seven_rows(), 4), [&](const data::Example&, const data::Example& outputs) {
      const std::vector<float> some = to_floats(outputs.tensor("logits").view());
      all.insert(all.end(), some.begin(), some.end());
    });
    return all;
  };
  EXPECT_THAT(logits(four), ::testing::Pointwise(::testing::FloatNear(1e-5f), logits(one)));
}

std::string weights_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / "model.safetensors", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MeshTraining, ResumesToTheBit) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  const FitOptions all{.num_train_epochs = 4, .checkpoints = {.folder = folder / "checkpoints", .every = 3, .keep = 9}};
  Trainer whole(four_devices(), task, {});
  whole.fit(task.batches(seven_rows(), 4), all);
  whole.save(folder / "whole");

  const TextClassification saved = task_from(folder / "checkpoints" / "checkpoint-3");
  Trainer second(four_devices(), saved, {});
  second.resume(folder / "checkpoints" / "checkpoint-3");
  EXPECT_EQ(second.fit(saved.batches(seven_rows(), 4), {.num_train_epochs = 4}).steps, 8);
  second.save(folder / "second");
  EXPECT_EQ(weights_in(folder / "second"), weights_in(folder / "whole"));

  Trainer one(kernels(), saved, {});
  try {
    one.resume(folder / "checkpoints" / "checkpoint-3");
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("devices along data and fsdp 4"));
  }
}

// The same number of devices along data and fsdp draws the same masks, for any number along tensor.
TEST(MeshTraining, ResumesOnAnotherMesh) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  const Device sharing({.mesh = {.data = 2, .tensor = 2}, .cache_folder = program_cache()}),
      two({.mesh = {.fsdp = 2}, .cache_folder = program_cache()});
  Trainer whole(two, task, {});
  whole.fit(task.batches(seven_rows(), 4), {.num_train_epochs = 4});
  whole.save(folder / "whole");

  Trainer first(sharing, task, {});
  first.fit(task.batches(seven_rows(), 4),
            {.num_train_epochs = 4, .checkpoints = {.folder = folder / "checkpoints", .every = 3, .keep = 9}});
  const TextClassification saved = task_from(folder / "checkpoints" / "checkpoint-3");
  Trainer third(two, saved, {});
  EXPECT_THAT(message_of<UsageError>([&] { third.resume(folder / "checkpoints" / "checkpoint-3"); }),
              AllOf(HasSubstr("mesh fsdp=2"), HasSubstr("mesh data=2,tensor=2"), HasSubstr("--allow-different-bits")));
  Trainer second(two, saved, {.allow_different_bits = true});
  second.resume(folder / "checkpoints" / "checkpoint-3");
  EXPECT_THAT(second.deviations(), ElementsAre("after step 3: mesh fsdp=2 in place of data=2,tensor=2"));
  second.fit(saved.batches(seven_rows(), 4), {.num_train_epochs = 4});
  second.save(folder / "second");
  const auto wanted = io::SafetensorsFile::open(folder / "whole" / "model.safetensors"),
             found = io::SafetensorsFile::open(folder / "second" / "model.safetensors");
  ASSERT_FALSE(wanted.entries().empty());
  for (const auto& entry : wanted.entries()) {
    const std::vector<float> a = to_floats(wanted.view(entry)), b = to_floats(found.find(entry.name).value());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << entry.name << ", " << i;
  }
}

TEST(MeshTraining, EvaluatesAlongTensorAsOneDevice) {
  const TextClassification task = task_from(kTinyBert);
  const Device sharing({.mesh = {.tensor = 2}, .cache_folder = program_cache()});
  Trainer one(kernels(), task, {}), two(sharing, task, {});
  const Scores wanted = one.evaluate(task.batches(seven_rows(), 4)),
               found = two.evaluate(task.batches(seven_rows(), 4));
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i].second, wanted[i].second, 1e-6) << wanted[i].first;
}

TEST(MeshTraining, RejectsAnIndivisibleBatch) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(four_devices(), task, {.lr_scheduler_type = "constant"});
  for (const bool evaluates : {false, true}) {
    try {
      const data::Dataset batches = task.batches(seven_rows(), 6);
      evaluates ? static_cast<void>(trainer.evaluate(batches))
                : static_cast<void>(trainer.step(*batches.iterate().next()));
      ADD_FAILURE() << "no error";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("mesh data=2,fsdp=2"));
      EXPECT_THAT(error.what(), HasSubstr("int32[6, 12]"));
    }
  }
}

}  // namespace
}  // namespace portatune::test
