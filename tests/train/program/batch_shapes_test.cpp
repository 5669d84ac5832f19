// Programs for batches of several shapes, and batches of an unexpected shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Texts of 3 to 8 tokens, special ones included.
data::Dataset six_rows() {
  return data::from_examples({sentence("good", "good"), sentence("bad", "bad"),
                              sentence("it was a very good story", "good"), sentence("it was a very bad story", "bad"),
                              sentence("a good film", "good"), sentence("a bad film", "bad")});
}

std::unique_ptr<TextClassification> task_with(std::vector<int64_t> lengths) {
  auto task = std::make_unique<TextClassification>(
      kTinyBert, TextClassificationOptions{.max_length = 12, .labels = {"bad", "good"}});
  if (!lengths.empty()) task->set_lengths(std::move(lengths));
  return task;
}

struct ShapeRecorder final : Callback {
  std::vector<std::string> compiled;
  int64_t programs = -1, steps = 0;
  std::vector<double> waits;
  void on_compile(const std::string& what, double, bool) override {
    EXPECT_EQ(steps, 0) << "compiled after the first step: " << what;
    compiled.push_back(what);
  }
  void on_ready(int64_t count, int64_t made, double seconds) override {
    EXPECT_EQ(made, std::ssize(compiled));
    EXPECT_GE(seconds, 0);
    programs = count;
  }
  void on_input(const InputWait& wait) override { waits.push_back(wait.share()); }
  void on_step(const StepResult&, int64_t) override { ++steps; }
};

TEST(Shapes, AllProgramsAreCompiledBeforeTheFirstStep) {
  const auto made = task_with({4, 8});
  const TextClassification& task = *made;
  Trainer trainer(kernels(), task, {});
  ShapeRecorder recorder;
  const FitResult result =
      trainer.fit(task.batches(six_rows(), 2),
                  {.num_train_epochs = 2, .validation = {{task.batches(six_rows(), 3)}}, .callback = &recorder});
  EXPECT_THAT(recorder.compiled, UnorderedElementsAre("training step for [2, 4]", "training step for [2, 8]",
                                                      "evaluation of [3, 4]", "evaluation of [3, 8]"));
  EXPECT_EQ(recorder.programs, 4);
  EXPECT_EQ(recorder.steps, 6);
  EXPECT_GT(result.compile_s, 0);
}

TEST(Shapes, EachStepHoldsExactlyTheBatchSize) {
  const auto made = task_with({4, 5, 8});
  const TextClassification& task = *made;
  std::vector<int64_t> lengths;
  for (const data::Example& batch : task.batches(six_rows(), 2).iterate()) {
    lengths.push_back(batch.tensor("input_ids").shape()[1]);
    EXPECT_EQ(task.tokens(batch).positions, 2 * lengths.back());
  }
  EXPECT_EQ(lengths, (std::vector<int64_t>{4, 8, 5}));
}

TEST(Shapes, LengthsOfExamplesAreThoseOfTheirTokens) {
  const auto made = task_with({});
  const TextClassification& task = *made;
  EXPECT_EQ(task.length_counts(task.batches(six_rows(), 4)), (data::LengthCounts{{3, 2}, {5, 2}, {8, 2}}));
}

TEST(Shapes, LossDoesNotDependOnThePadding) {
  const auto fixed = task_with({}), buckets = task_with({4, 8});
  Trainer one(kernels(), *fixed, {}), other(kernels(), *buckets, {});
  const Scores a = one.evaluate(fixed->batches(six_rows(), 4)), b = other.evaluate(buckets->batches(six_rows(), 4));
  ASSERT_EQ(a[0].first, "loss");
  EXPECT_NEAR(a[0].second, b[0].second, 1e-6);
}

TEST(Shapes, PredictionsHaveTheOrderOfTheRows) {
  const auto fixed = task_with({}), buckets = task_with({4, 8});
  const auto predict = [](const TextClassification& task) {
    std::vector<std::vector<float>> logits;
    Trainer(kernels(), task, {}).predict(task.batches(six_rows(), 4), [&](const auto& batch, const auto& outputs) {
      for (const auto& prediction : task.predictions(batch, outputs)) logits.push_back(prediction.logits);
    });
    return logits;
  };
  const std::vector<std::vector<float>> expected = predict(*fixed), found = predict(*buckets);
  ASSERT_EQ(found.size(), 6u);
  for (size_t row = 0; row < expected.size(); ++row) {
    EXPECT_NEAR(found[row][0], expected[row][0], 1e-5) << row;
    EXPECT_NEAR(found[row][1], expected[row][1], 1e-5) << row;
  }
}

TEST(Shapes, ErrorNamesABatchOfAnotherShape) {
  const auto made = task_with({});
  const TextClassification& task = *made;
  // The first batch declares one shape; the second, of examples 4 and 5, has another.
  const data::Dataset batches = task.batches(six_rows(), 4).map([](data::Example batch) {
    if (batch.origin().row == 0) return batch;
    for (const char* column : {"input_ids", "attention_mask"}) batch.set(column, Tensor({DType::kInt32, {4, 20}}));
    return batch;
  });
  const auto fit = [&] { Trainer(kernels(), task, {}).fit(batches, {.num_train_epochs = 1}); };
  const auto named = AllOf(HasSubstr("batch that begins at example 4"), HasSubstr("input_ids int32[4, 20]"),
                           HasSubstr("input_ids int32[4, 12]"));
  EXPECT_THAT(message_of<DataError>(fit), named);
  EXPECT_THAT(message_of<DataError>([&] { Trainer(kernels(), task, {}).evaluate(batches); }), named);
}

TEST(Shapes, ErrorNamesATooLongExample) {
  const auto made = task_with({4, 6});
  const TextClassification& task = *made;
  EXPECT_THAT(message_of<DataError>([&] { Trainer(kernels(), task, {}).fit(task.batches(six_rows(), 2), {}); }),
              AllOf(HasSubstr("example 2"), HasSubstr("[8]"), HasSubstr("at most 6")));
}

TEST(Shapes, RejectsLengthsThatTextsCannotHave) {
  for (const std::vector<int64_t>& lengths : {std::vector<int64_t>{}, {0, 12}, {4, 13}}) {
    EXPECT_THAT(message_of<UsageError>([&] { task_with({})->set_lengths(lengths); }), HasSubstr("1 to 12"));
  }
}

TEST(Shapes, TheDeviceWaitsForSlowInput) {
  const auto made = task_with({});
  const TextClassification& task = *made;
  const auto share = [&](int milliseconds) {
    Trainer trainer(kernels(), task, {});
    ShapeRecorder recorder;
    const data::Dataset batches = task.batches(six_rows(), 1).map([=](data::Example batch) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      return batch;
    });
    trainer.fit(batches, {.num_train_epochs = 1, .callback = &recorder});
    return recorder.waits.back();
  };
  EXPECT_GT(share(60), 0.5);  // a step takes a few milliseconds
}

}  // namespace
}  // namespace portatune::test
