// Training the tiny BERT of tests/data/tiny_bert on sentences whose label is a word in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/sources.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "runtime/processes/thread_group.h"
#include "tasks/sentences.h"
#include "train/plane_task.h"
#include "train/renew_manifest.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kBatchSize = 4;

// Ten rows: two full batches and a half-full one.
data::Dataset ten_rows() {
  return data::from_examples(
      {sentence("the film was good", "good"), sentence("the film was bad", "bad"),
       sentence("it was a good story", "good"), sentence("it was a bad story", "bad"), sentence("a good play", "good"),
       sentence("a bad play", "bad"), sentence("we thought it was very good", "good"),
       sentence("we thought it was very bad", "bad"), sentence("good", "good"), sentence("bad", "bad")});
}
constexpr int64_t kStepsPerEpoch = 3;

data::Dataset shuffled_batches(const TextClassification& task) {
  return task.batches(ten_rows().shuffle({.buffer = 100, .seed = 3}), kBatchSize);
}

TrainingOptions quick() { return {.learning_rate = 0.01, .weight_decay = 0.01}; }

// Ends fit() after some steps, and records its events.
class Recorder final : public Callback {
 public:
  Recorder() = default;
  /// stop_after  steps of this trainer, including those before a resume
  Recorder(const Trainer& trainer, int64_t stop_after) : trainer_(&trainer), stop_after_(stop_after) {}

  void on_begin(const FitBegin& at) override { begins.push_back(at); }
  void on_compile(const std::string&, double, bool) override { ++compilations; }
  void on_step(const StepResult& result, int64_t total) override {
    steps.push_back(result.step());
    losses.push_back(result.loss());
    weights.push_back(result.weight());
    total_steps = total;
  }
  void on_evaluation(int64_t step, double epoch, const Scores&) override { evaluations.emplace_back(step, epoch); }
  void on_epoch_end(double epoch, double mean_loss, const Scores& scores) override {
    epochs.push_back(epoch);
    mean_losses.push_back(mean_loss);
    last_scores = scores;
  }
  bool should_stop() override { return trainer_ != nullptr && trainer_->steps() >= stop_after_; }

  std::vector<FitBegin> begins;
  int compilations = 0;
  std::vector<int64_t> steps;
  std::vector<double> epochs, losses, weights, mean_losses;
  std::vector<std::pair<int64_t, double>> evaluations;  // step and epoch
  Scores last_scores;
  int64_t total_steps = 0;

 private:
  const Trainer* trainer_ = nullptr;
  const int64_t stop_after_ = 0;
};

double score(const Scores& scores, const std::string& name) {
  for (const auto& [key, value] : scores) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no score " << name;
  return 0;
}

// The bytes of the weights after training from the start.
std::string trained_weights(const TrainingOptions& options, int64_t epochs) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, options);
  trainer.fit(shuffled_batches(task), {.num_train_epochs = epochs});
  const TemporaryFolder folder;
  trainer.save(folder / "model");
  return text_of(folder / "model" / "model.safetensors");
}

// ---- fit

TEST(Trainer, FitLearnsAToyTask) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const Scores before = trainer.evaluate(task.batches(ten_rows(), kBatchSize));
  Recorder recorder;
  const FitResult result = trainer.fit(
      shuffled_batches(task),
      {.num_train_epochs = 40, .validation = {{task.batches(ten_rows(), kBatchSize)}}, .callback = &recorder});
  EXPECT_NEAR(score(before, "loss"), std::log(2), 0.1);
  EXPECT_LT(score(result.scores, "loss"), 0.1);
  EXPECT_EQ(score(result.scores, "accuracy"), 1);
  EXPECT_EQ(score(result.scores, "roc_auc"), 1);
  EXPECT_EQ(result.steps, 40 * kStepsPerEpoch);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(trainer.steps(), result.steps);
}

TEST(Trainer, FitReportsEveryStepAndEpochOnce) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder;
  const FitResult result = trainer.fit(
      shuffled_batches(task),
      {.num_train_epochs = 2, .validation = {{task.batches(ten_rows(), kBatchSize)}}, .callback = &recorder});
  EXPECT_EQ(recorder.steps, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(recorder.epochs, (std::vector<double>{1, 2}));
  EXPECT_EQ(recorder.total_steps, 6);
  EXPECT_EQ(recorder.compilations, 2);  // a training step and an evaluation
  EXPECT_EQ(recorder.last_scores, result.scores);
  EXPECT_EQ(recorder.evaluations, (std::vector<std::pair<int64_t, double>>{{3, 1.0}, {6, 2.0}}));
  // There are two batches of four examples and one of two.
  EXPECT_EQ(recorder.weights, (std::vector<double>{4, 4, 2, 4, 4, 2}));
  EXPECT_NEAR(recorder.mean_losses[0], (4 * recorder.losses[0] + 4 * recorder.losses[1] + 2 * recorder.losses[2]) / 10,
              1e-12);
  EXPECT_EQ(result.mean_loss, recorder.mean_losses[1]);
  EXPECT_EQ(trainer.load_report().missing, (std::vector<std::string>{"classifier.weight", "classifier.bias"}));
}

TEST(Trainer, LoadsTheWeightsWithoutAStep) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  EXPECT_TRUE(trainer.parameters().empty());
  trainer.load(*task.batches(ten_rows(), 1).iterate().next());
  EXPECT_EQ(trainer.steps(), 0);
  EXPECT_EQ(trainer.load_report().missing, (std::vector<std::string>{"classifier.weight", "classifier.bias"}));
  EXPECT_EQ(trainer.parameters().back(),
            (std::pair<std::string, TensorType>("classifier.bias", {DType::kFloat32, {2}})));
  EXPECT_NO_THROW(trainer.fit(shuffled_batches(task), {.num_train_epochs = 1}));
}

TEST(Trainer, FitRepeatsTheDataToFillAnEpoch) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder;
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 2, .steps_per_epoch = 4, .callback = &recorder});
  EXPECT_EQ(recorder.steps.size(), 8u);
  EXPECT_EQ(recorder.epochs, (std::vector<double>{1, 2}));
}

// As in transformers: the last epoch is shorter, and has its evaluation and its end.
TEST(Trainer, FitEndsWithinAnEpochAfterMaxSteps) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder;
  trainer.fit(shuffled_batches(task),
              {.max_steps = 5, .validation = {{task.batches(ten_rows(), kBatchSize)}}, .callback = &recorder});
  EXPECT_EQ(recorder.total_steps, 5);
  EXPECT_EQ(recorder.steps.size(), 5u);
  EXPECT_EQ(recorder.epochs, (std::vector<double>{1, 5.0 / 3}));
  EXPECT_EQ(recorder.evaluations, (std::vector<std::pair<int64_t, double>>{{3, 1}, {5, 5.0 / 3}}));
}

TEST(Trainer, FitContinuesWhereItEnded) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1});
  const double before = score(trainer.evaluate(task.batches(ten_rows(), kBatchSize)), "loss");
  Recorder recorder;
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 30, .callback = &recorder});
  EXPECT_EQ(recorder.steps.front(), 4);
  EXPECT_EQ(recorder.total_steps, 90);
  ASSERT_EQ(recorder.begins.size(), 1u);
  EXPECT_EQ(recorder.begins[0].steps, 3);
  EXPECT_EQ(recorder.begins[0].total_steps, 90);
  EXPECT_EQ(recorder.begins[0].steps_per_epoch, 3);
  EXPECT_LT(score(trainer.evaluate(task.batches(ten_rows(), kBatchSize)), "loss"), 0.5 * before);
}

TEST(Trainer, FitNeedsExamples) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  EXPECT_THAT(message_of<DataError>([&] {
                trainer.fit(task.batches(data::from_examples({}), 2), {.num_train_epochs = 1, .steps_per_epoch = 1});
              }),
              HasSubstr("no example"));
}

TEST(Trainer, StopsOnRequest) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder(trainer, 2);
  const FitResult result = trainer.fit(shuffled_batches(task), {.num_train_epochs = 2, .callback = &recorder});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.steps, 2);
  EXPECT_EQ(recorder.steps, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(recorder.epochs.empty());
}

TEST(Trainer, StoppedAtTheLastStepIsDone) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder(trainer, kStepsPerEpoch);
  EXPECT_FALSE(trainer.fit(shuffled_batches(task), {.num_train_epochs = 1, .callback = &recorder}).stopped);
}

TEST(Trainer, StoppedAtTheLastStepRequiresUnchangedData) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  Recorder recorder(trainer, kStepsPerEpoch);
  int64_t calls = 0;
  const auto change = [&]() -> std::optional<ChangedData> {
    if (++calls == 1) return std::nullopt;  // before the first step
    return ChangedData{.file = "rows.csv", .change = "9 bytes in place of 8"};
  };
  EXPECT_THAT(message_of<DataError>([&] {
                trainer.fit(shuffled_batches(task),
                            {.num_train_epochs = 1, .changed_data = change, .callback = &recorder});
              }),
              AllOf(HasSubstr("rows.csv"), HasSubstr("9 bytes in place of 8")));
}

// Early stopping works like this.
struct StopAtTheEndOfAnEpoch final : Callback {
  std::vector<int64_t> steps;
  bool stop = false;
  void on_step(const StepResult& result, int64_t) override { steps.push_back(result.step()); }
  void on_epoch_end(double epoch, double, const Scores&) override { stop = epoch == 2; }
  bool should_stop() override { return stop; }
};

TEST(Trainer, StoppedAtTheEndOfAnEpochHasTheWeightsOfItsScores) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const data::Dataset validation = task.batches(ten_rows(), kBatchSize);
  StopAtTheEndOfAnEpoch callback;
  const FitResult result =
      trainer.fit(shuffled_batches(task), {.num_train_epochs = 4, .validation = {{validation}}, .callback = &callback});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.steps, 2 * kStepsPerEpoch);
  EXPECT_EQ(callback.steps, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(trainer.evaluate(validation), result.scores);
}

// Requests the stop after the validation has begun.
struct StopInValidation final : Callback {
  int64_t steps = 0, batches = 0, epochs = 0;
  void on_step(const StepResult&, int64_t) override { ++steps; }
  void on_epoch_end(double, double, const Scores&) override { ++epochs; }
  bool should_stop() override { return steps == kStepsPerEpoch && ++batches == 2; }
};

// The first batch is read by then, but no step has used it: a checkpoint would lose it.
TEST(Trainer, StoppedBeforeTheFirstStepMakesNoStep) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const data::Dataset stopping = ten_rows().map([](const data::Example&) -> data::Example { throw Stopped(); });
  EXPECT_THROW(trainer.fit(shuffled_batches(task), {.validation = {{task.batches(stopping, kBatchSize)}}}), Stopped);
  EXPECT_EQ(trainer.steps(), 0);
}

TEST(Trainer, StopsDuringAValidation) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  int64_t evaluated = 0;
  const data::Dataset validation = task.batches(ten_rows(), 1).map([&](data::Example batch) {
    ++evaluated;
    return batch;
  });
  StopInValidation stop;
  const FitResult result =
      trainer.fit(shuffled_batches(task), {.num_train_epochs = 2, .validation = {{validation}}, .callback = &stop});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.steps, kStepsPerEpoch);
  EXPECT_TRUE(result.scores.empty());
  EXPECT_EQ(stop.epochs, 0);
  EXPECT_LE(evaluated, 4);  // one for shapes, one at the request, and running ones
}

TEST(Trainer, SavesTheStepsBeforeAnUnreadableRow) {
  const TemporaryFolder folder;
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const data::Dataset broken = ten_rows().map([](data::Example row) {
    if (row.text("text") == "good") throw DataError({.where = "the ninth row", .given = "nothing of use"});
    return row;
  });
  EXPECT_THAT(message_of<DataError>([&] {
                trainer.fit(task.batches(broken, kBatchSize),
                            {.num_train_epochs = 2, .steps_per_epoch = 3, .checkpoints = {.folder = folder / "run"}});
              }),
              HasSubstr("the ninth row"));

  const TextClassification again = task_from(folder / "run" / "checkpoint-2");
  Trainer resumed(kernels(), again, quick()), whole(kernels(), task, quick());
  resumed.resume(folder / "run" / "checkpoint-2");
  resumed.fit(again.batches(ten_rows(), kBatchSize), {.num_train_epochs = 2});
  resumed.save(folder / "resumed");
  whole.fit(task.batches(ten_rows(), kBatchSize), {.num_train_epochs = 2});
  whole.save(folder / "whole");
  EXPECT_TRUE(text_of(folder / "resumed" / "model.safetensors") == text_of(folder / "whole" / "model.safetensors"));
}

TEST(Trainer, SavesTheStepsBeforeAnErrorInAValidation) {
  const TemporaryFolder folder;
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const data::Dataset broken = ten_rows().map([](data::Example row) {
    if (row.text("text") == "bad") throw IoError({.where = "the last row", .given = "a server that is gone"});
    return row;
  });
  EXPECT_THAT(message_of<IoError>([&] {
                trainer.fit(shuffled_batches(task),
                            {.validation = {{task.batches(broken, 1)}}, .checkpoints = {.folder = folder / "run"}});
              }),
              HasSubstr("the last row"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "checkpoint-3" / "training_state.json"));
}

// The rows are read for their shapes, before the first step.
TEST(Trainer, EveryProcessThrowsTheErrorOfOneInItsValidationRows) {
  const PlaneTask task;
  std::array<std::string, 2> messages;
  in_processes(2, [&](ProcessGroup& group) {
    const std::shared_ptr<ProcessGroup> processes(std::shared_ptr<void>(), &group);
    const Device device({.mesh = {.data = 2}, .use_cache = false, .processes = processes});
    const data::Dataset validation = plane_batches(1).map([&group](data::Example batch) {
      if (group.rank() == 1) throw DataError({.where = "the third row", .given = "nothing of use"});
      return batch;
    });
    Trainer trainer(device, task, {.lr_scheduler_type = "constant"});
    messages[static_cast<size_t>(group.rank())] = message_of<DataError>(
        [&] { trainer.fit(plane_batches(2), {.num_train_epochs = 1, .validation = {{validation}}}); });
  });
  EXPECT_THAT(messages[0], HasSubstr("process 1 of 2, the third row"));
  EXPECT_THAT(messages[1], HasSubstr("the third row"));
}

TEST(Trainer, ErrorForNonFiniteLossNamesStepAndRows) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, {.learning_rate = 1e38, .lr_scheduler_type = "constant"});
  Recorder recorder;
  // The first step makes the weights so large that the second overflows.
  EXPECT_THAT(message_of<NumericError>([&] {
                trainer.fit(task.batches(ten_rows(), kBatchSize), {.num_train_epochs = 2, .callback = &recorder});
              }),
              AllOf(HasSubstr("step 2"), HasSubstr("example 4"), HasSubstr("learning rate")));
  EXPECT_EQ(recorder.steps, std::vector<int64_t>{1});
  // fit() is over: no observer is notified of compilations any more.
  const int compilations = recorder.compilations;
  EXPECT_THROW(trainer.evaluate(task.batches(ten_rows(), 1)), NumericError);
  EXPECT_EQ(recorder.compilations, compilations);
}

// A learning rate so large that the first step has a finite loss, but leaves weights without one.
TrainingOptions overflowing() { return {.learning_rate = 3e38, .lr_scheduler_type = "constant", .weight_decay = 1e38}; }

TEST(Trainer, ValidationFindsAnOverflowInTheLastStep) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, overflowing());
  const data::Dataset batches = task.batches(ten_rows(), kBatchSize);
  EXPECT_THAT(message_of<NumericError>([&] {
                trainer.fit(batches, {.num_train_epochs = 1, .steps_per_epoch = 1, .validation = {{batches}}});
              }),
              AllOf(HasSubstr("evaluation"), HasSubstr("nan"), HasSubstr("example 0"), HasSubstr("learning rate")));
}

TEST(Trainer, DoesNotSaveNonFiniteWeights) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, overflowing());
  trainer.fit(task.batches(ten_rows(), kBatchSize), {.num_train_epochs = 1, .steps_per_epoch = 1});
  const TemporaryFolder folder;
  const auto names_folder_and_tensor = AllOf(HasSubstr((folder / "model").string()), HasSubstr("bert.embeddings."));
  EXPECT_THAT(message_of<NumericError>([&] { trainer.save(folder / "model"); }), names_folder_and_tensor);
  EXPECT_THAT(message_of<NumericError>([&] { trainer.save_checkpoint(folder / "model"); }), names_folder_and_tensor);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Trainer, TrainsInBfloat16) {
  const TextClassification task = task_from(kTinyBert);
  TrainingOptions options = quick();
  options.dtype = DType::kBFloat16;
  Trainer trainer(kernels(), task, options);
  Recorder recorder;
  const FitResult result = trainer.fit(
      shuffled_batches(task),
      {.num_train_epochs = 40, .validation = {{task.batches(ten_rows(), kBatchSize)}}, .callback = &recorder});
  EXPECT_NEAR(recorder.losses.front(), std::log(2), 0.15);
  EXPECT_LT(score(result.scores, "loss"), 0.15);
}

TEST(Trainer, TrainsASigmoidHead) {
  const TextClassification task(kTinyBert, {.max_length = 12, .head = Head::kSigmoid, .labels = {"0", "1"}});
  Trainer trainer(kernels(), task, quick());
  const data::Dataset zeros_and_ones = ten_rows().map([](data::Example row) {
    row.set("label", std::string(row.text("label") == "good" ? "1" : "0"));
    return row;
  });
  const FitResult result =
      trainer.fit(task.batches(zeros_and_ones.shuffle({.buffer = 100, .seed = 3}), kBatchSize),
                  {.num_train_epochs = 40, .validation = {{task.batches(zeros_and_ones, kBatchSize)}}});
  EXPECT_LT(score(result.scores, "loss"), 0.1);
  EXPECT_EQ(score(result.scores, "roc_auc"), 1);
}

TEST(Trainer, SeedDecidesEveryBit) {
  TrainingOptions other = quick();
  other.seed = 43;
  const std::string weights = trained_weights(quick(), 2);
  EXPECT_TRUE(trained_weights(quick(), 2) == weights);
  EXPECT_FALSE(trained_weights(other, 2) == weights);
}

TEST(Trainer, SeedDecidesTheNewHead) {
  const TextClassification task = task_from(kTinyBert);
  const auto untrained = [&](uint64_t seed) {
    return Trainer(kernels(), task, {.seed = seed}).evaluate(task.batches(ten_rows(), kBatchSize));
  };
  EXPECT_EQ(untrained(1), untrained(1));
  EXPECT_NE(untrained(1), untrained(2));
}

// ---- step

TEST(Trainer, StepMakesOneUpdate) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, {.learning_rate = 0.01, .warmup_steps = 2, .total_steps = 6});
  data::Cursor cursor = task.batches(ten_rows(), kBatchSize).iterate();
  const data::Example batch = *cursor.next();
  const StepResult first = trainer.step(batch), second = trainer.step(batch);
  EXPECT_EQ(first.step(), 1);
  EXPECT_EQ(second.step(), 2);
  EXPECT_EQ(first.learning_rate(), 0);
  EXPECT_EQ(second.learning_rate(), 0.005);
  EXPECT_EQ(first.tokens().real, 6 + 6 + 7 + 7);
  EXPECT_EQ(first.tokens().positions, 4 * 12);
  EXPECT_NEAR(first.loss(), std::log(2), 0.15);
  EXPECT_GT(first.grad_norm(), 0);
  // The rate of the first step was 0, so only the dropout mask can change the loss.
  EXPECT_NE(first.loss(), second.loss());
}

TEST(Trainer, StepNeedsTheEndOfTheDecay) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  data::Cursor cursor = task.batches(ten_rows(), kBatchSize).iterate();
  const data::Example batch = *cursor.next();
  EXPECT_THAT(message_of<UsageError>([&] { trainer.step(batch); }), HasSubstr("total_steps"));
}

TEST(Trainer, StepNeedsTheColumnsOfTheTask) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, {.lr_scheduler_type = "constant"});
  data::Cursor cursor = task.batches(ten_rows(), kBatchSize).iterate();
  data::Example batch = *cursor.next();
  batch.erase("attention_mask");
  EXPECT_THAT(message_of<DataError>([&] { trainer.step(batch); }), HasSubstr("attention_mask"));
}

TEST(Trainer, RejectsInvalidOptionsAtOnce) {
  const TextClassification task = task_from(kTinyBert);
  EXPECT_THROW(Trainer(kernels(), task, {.adam_beta1 = 1}), UsageError);
  Trainer trainer(kernels(), task, quick());
  EXPECT_THROW(trainer.fit(task.batches(ten_rows(), 1), {.num_train_epochs = 0}), UsageError);
  constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max() / 2;  // for ten steps each
  EXPECT_THROW(trainer.fit(task.batches(ten_rows(), 1), {.num_train_epochs = kTooMany}), UsageError);
  EXPECT_THROW(trainer.set_updates(-1), UsageError);
  EXPECT_THROW(trainer.set_updates(int64_t{1} << 31), UsageError);
  EXPECT_THROW(Trainer(kernels(), task, {.lr_scheduler_type = "sine", .warmup_steps = 3}), UsageError);
}

// ---- evaluate and predict

TEST(Trainer, RejectsNamesThatAreNotUtf8AtOnce) {
  TrainingOptions options = quick();
  options.must_match = {{"column_names",
                         "gr\xf6\xdf"
                         "e"}};
  const auto task = task_from(kTinyBert);
  EXPECT_THAT(message_of<UsageError>([&] { Trainer(kernels(), task, options); }),
              AllOf(HasSubstr("column_names"), HasSubstr("UTF-8")));
  const auto labelled = [] { TextClassification(kTinyBert, {.max_length = 12, .labels = {"gut", "b\xf6se"}}); };
  EXPECT_THAT(message_of<UsageError>(labelled), HasSubstr("not UTF-8"));
}

TEST(Trainer, EvaluateCountsEveryExampleOnce) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1});
  const Scores scores = trainer.evaluate(task.batches(ten_rows(), kBatchSize));

  double loss = 0, hits = 0;
  int64_t examples = 0;
  trainer.predict(task.batches(ten_rows(), 1), [&](const data::Example& batch, const data::Example& outputs) {
    const auto logits = outputs.tensor("logits").as<float>();
    const size_t label = static_cast<size_t>(batch.tensor("labels").as<int32_t>()[0]);
    loss += std::log1p(std::exp(static_cast<double>(logits[1 - label]) - logits[label]));
    hits += logits[label] > logits[1 - label];
    ++examples;
  });
  EXPECT_EQ(examples, 10);
  EXPECT_NEAR(score(scores, "loss"), loss / 10, 1e-5);
  EXPECT_EQ(score(scores, "accuracy"), hits / 10);
}

TEST(Trainer, EvaluateNeedsExamples) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  EXPECT_THAT(message_of<DataError>([&] { trainer.evaluate(task.batches(data::from_examples({}), 2)); }),
              HasSubstr("no example"));
}

// Outputs are checked before metrics, which would report bad data.
TEST(Trainer, ErrorForNonFiniteOutputsNamesTheRows) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, overflowing());
  const data::Dataset batches = task.batches(ten_rows(), kBatchSize);
  trainer.fit(batches, {.num_train_epochs = 1, .steps_per_epoch = 1});
  EXPECT_THAT(message_of<NumericError>([&] { trainer.evaluate(batches.skip(1)); }), HasSubstr("example 4"));
  EXPECT_THROW(trainer.predict(batches, [](const data::Example&, const data::Example&) {}), NumericError);
}

TEST(Trainer, PredictKeepsTheOrderOfTheRows) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 10});  // gives rows different outputs
  const auto first_logits = [&](int64_t batch_size) {
    std::vector<float> found;
    trainer.predict(task.batches(ten_rows(), batch_size),
                    [&](const data::Example& batch, const data::Example& outputs) {
                      for (const auto& prediction : task.predictions(batch, outputs))
                        found.push_back(prediction.logits[0]);
                    });
    return found;
  };
  const std::vector<float> together = first_logits(kBatchSize), alone = first_logits(1);
  ASSERT_EQ(together.size(), 10u);
  ASSERT_EQ(alone.size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(together[i], alone[i], 1e-5) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_GT(std::abs(alone[i] - alone[j]), 2e-5) << "rows must differ: " << i << ", " << j;
  }
}

// ---- saving and resuming

TEST(Trainer, SavedModelScoresTheSame) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 2});
  const TemporaryFolder folder;
  trainer.save(folder / "model");
  trainer.save(folder / "model");  // replaces the first model

  const TextClassification again(folder / "model", {.max_length = 12});
  Trainer loaded(kernels(), again, quick());
  EXPECT_EQ(loaded.evaluate(again.batches(ten_rows(), kBatchSize)),
            trainer.evaluate(task.batches(ten_rows(), kBatchSize)));
  EXPECT_TRUE(loaded.load_report().missing.empty());
  EXPECT_TRUE(loaded.load_report().unexpected.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "model" / "optimizer.safetensors"));
}

TEST(Trainer, DoesNotSaveOverOtherFiles) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1});
  const TemporaryFolder folder;
  write_text(folder / "thesis.tex", "mine");
  for (const auto& save : {&Trainer::save, &Trainer::save_checkpoint}) {
    EXPECT_THAT(message_of<UsageError>([&] { (trainer.*save)(folder.path()); }), HasSubstr("\"thesis.tex\""));
    EXPECT_THAT(message_of<UsageError>([&] { (trainer.*save)("."); }), HasSubstr("the working folder"));
  }
  EXPECT_EQ(text_of(folder / "thesis.tex"), "mine");
  EXPECT_THROW(require_place_to_save(folder.path()), UsageError);
}

// A custom task may write files that no Hugging Face model has.
struct TaskWithAFile final : PlaneTask {
  void save(const std::filesystem::path& folder) const override { write_text(folder / "own.txt", "new"); }
};

TEST(Trainer, ReplacesEarlierFilesOfTheTask) {
  const TaskWithAFile task;
  Trainer trainer(kernels(), task, {.lr_scheduler_type = "constant"});
  trainer.fit(plane_batches(2), {.num_train_epochs = 1});
  const TemporaryFolder folder;
  trainer.save(folder / "best");
  write_text(folder / "best" / "own.txt", "old");
  trainer.save(folder / "best");
  EXPECT_EQ(text_of(folder / "best" / "own.txt"), "new");
}

TEST(Trainer, CheckpointsHaveTheFilesOfTheirStep) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const TemporaryFolder folder;
  Recorder recorder;
  trainer.set_checkpoint_files([&] {
    return std::map<std::string, std::string>{{"log.txt", std::to_string(recorder.steps.back())}};
  });
  trainer.fit(shuffled_batches(task),
              {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 2}, .callback = &recorder});
  for (const std::string step : {"2", "3"}) {
    EXPECT_EQ(text_of(folder / ("checkpoint-" + step) / "log.txt"), step);
    EXPECT_THAT(text_of(folder / ("checkpoint-" + step) / "checkpoint_manifest.json"), HasSubstr("log.txt"));
  }
}

TEST(Trainer, KeepsCheckpointsAndOtherFilesOfARun) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const TemporaryFolder folder;
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 2}});
  std::filesystem::copy(folder / "checkpoint-2", folder / "best");
  std::filesystem::create_directory(folder / "checkpoint-9");
  write_text(folder / "checkpoint-9" / "notes.txt", "mine");
  write_text(folder / "model-best.safetensors", "mine");
  require_place_to_save(folder.path());
  trainer.save(folder.path());
  EXPECT_TRUE(std::filesystem::exists(folder / "best" / "training_state.json"));
  EXPECT_EQ(text_of(folder / "checkpoint-9" / "notes.txt"), "mine");
  EXPECT_EQ(text_of(folder / "model-best.safetensors"), "mine");
  EXPECT_TRUE(std::filesystem::exists(folder / "model.safetensors"));
  for (const char* checkpoint : {"checkpoint-2", "checkpoint-3"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / checkpoint / "optimizer.safetensors")) << checkpoint;
  }
  const auto record = nlohmann::json::parse(text_of(folder / "training_run.json"));
  EXPECT_EQ(record["steps"], kStepsPerEpoch);
  EXPECT_EQ(record["run"]["seed"], "42");
}

TEST(Trainer, SavingNeedsWeights) {
  const TextClassification task = task_from(kTinyBert);
  const Trainer trainer(kernels(), task, quick());
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<UsageError>([&] { trainer.save(folder / "model"); }), HasSubstr("without a batch"));
  EXPECT_THROW(trainer.save_checkpoint(folder / "model"), UsageError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Trains in parts, each in a new trainer from the checkpoint of the one before. `stops` has the number of steps of each
// part; the last part continues to the end. Returns the result of the last part and the bytes of the weights.
std::pair<FitResult, std::string> train_in_parts(const std::vector<int64_t>& stops, int64_t epochs) {
  const TemporaryFolder folder;
  std::filesystem::path from = kTinyBert;
  for (size_t part = 0; part <= stops.size(); ++part) {
    const TextClassification task = task_from(from);
    Trainer trainer(kernels(), task, quick());
    if (part > 0) trainer.resume(from);
    constexpr int64_t kNever = 1000;
    Recorder recorder(trainer, part < stops.size() ? trainer.steps() + stops[part] : kNever);
    const FitResult result = trainer.fit(
        shuffled_batches(task),
        {.num_train_epochs = epochs, .validation = {{task.batches(ten_rows(), kBatchSize)}}, .callback = &recorder});
    from = folder / ("checkpoint-" + std::to_string(part));
    trainer.save_checkpoint(from);
    EXPECT_EQ(result.stopped, part < stops.size());
    if (part == stops.size())
      return {result, text_of(from / "model.safetensors") + text_of(from / "optimizer.safetensors")};
  }
  return {};
}

class Resumption : public ::testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(Resumption, GivesTheBitsOfAnUninterruptedRun) {
  static const auto [whole, wanted] = train_in_parts({}, 3);
  const auto [result, found] = train_in_parts(GetParam(), 3);
  EXPECT_TRUE(found == wanted);
  EXPECT_EQ(result.steps, 3 * kStepsPerEpoch);
  EXPECT_EQ(result.mean_loss, whole.mean_loss);
  EXPECT_EQ(result.scores, whole.scores);
}

// Stops within the first epoch, in a validation, within the second epoch, several times, and in the last validation.
INSTANTIATE_TEST_SUITE_P(Stops, Resumption,
                         ::testing::Values(std::vector<int64_t>{2}, std::vector<int64_t>{3}, std::vector<int64_t>{5},
                                           std::vector<int64_t>{1, 3, 1}, std::vector<int64_t>{8},
                                           std::vector<int64_t>{9}),
                         [](const auto& info) {
                           std::string name = "After";
                           for (const int64_t steps : info.param) name += "_" + std::to_string(steps);
                           return name;
                         });

TEST(Trainer, CheckpointBeforeTheFirstStepKeepsTheResumedState) {
  const TemporaryFolder folder;
  {
    const TextClassification task = task_from(kTinyBert);
    Trainer trainer(kernels(), task, quick());
    Recorder recorder(trainer, 2);
    trainer.fit(shuffled_batches(task), {.num_train_epochs = 1, .callback = &recorder});
    trainer.save_checkpoint(folder / "first");
  }
  const TextClassification task = task_from(folder / "first");
  Trainer trainer(kernels(), task, quick());
  trainer.resume(folder / "first");
  EXPECT_EQ(trainer.steps(), 2);
  trainer.evaluate(task.batches(ten_rows(), kBatchSize));
  trainer.save_checkpoint(folder / "second");
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "training_state.json", "data_state.json"}) {
    EXPECT_TRUE(text_of(folder / "first" / file) == text_of(folder / "second" / file)) << file;
  }
}

// A checkpoint after the first of three epochs.
void write_checkpoint(const TrainingOptions& options, const std::filesystem::path& folder) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, options);
  Recorder recorder(trainer, kStepsPerEpoch);
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 3, .callback = &recorder});
  trainer.save_checkpoint(folder);
}

struct CheckpointLog final : Callback {
  std::vector<std::string> names;
  void on_checkpoint(const std::filesystem::path& folder) override { names.push_back(folder.filename().string()); }
};

TEST(Trainer, ResumesFromPeriodicCheckpointsToTheBit) {
  const TemporaryFolder folder;
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  CheckpointLog log;
  trainer.fit(
      shuffled_batches(task),
      {.num_train_epochs = 3, .checkpoints = {.folder = folder / "run", .every = 3, .keep = 2}, .callback = &log});
  trainer.save(folder / "model");
  EXPECT_EQ(log.names, (std::vector<std::string>{"checkpoint-3", "checkpoint-6", "checkpoint-9"}));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "checkpoint-3"));

  const TextClassification again = task_from(folder / "run" / "checkpoint-6");
  Trainer resumed(kernels(), again, quick());
  resumed.resume(folder / "run" / "checkpoint-6");
  resumed.fit(shuffled_batches(again), {.num_train_epochs = 3});
  resumed.save(folder / "again");
  EXPECT_TRUE(text_of(folder / "again" / "model.safetensors") == text_of(folder / "model" / "model.safetensors"));
}

TEST(Trainer, LastStepHasACheckpointUnlessDisabled) {
  const TemporaryFolder folder;
  const TextClassification task = task_from(kTinyBert);
  for (const bool last : {true, false}) {
    Trainer trainer(kernels(), task, quick());
    CheckpointLog log;
    trainer.fit(
        shuffled_batches(task),
        {.num_train_epochs = 1, .checkpoints = {.folder = folder.path(), .every = 2, .last = last}, .callback = &log});
    EXPECT_EQ(log.names.back(), last ? "checkpoint-3" : "checkpoint-2");
  }
}

// Trains one epoch with a checkpoint of its last step.
std::filesystem::path write_finished_run(const TrainingOptions& options, const std::filesystem::path& folder) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, options);
  trainer.set_initial_scores({{"loss", 0.75}});
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1, .checkpoints = {.folder = folder, .every = 1}});
  return folder / ("checkpoint-" + std::to_string(kStepsPerEpoch));
}

TEST(Trainer, TrainsAFinishedRunFurtherToTheBitsOfALongerRun) {
  const TemporaryFolder folder;
  const TrainingOptions constant{.learning_rate = 0.01, .lr_scheduler_type = "constant"};
  const std::filesystem::path checkpoint = write_finished_run(constant, folder.path());
  const TextClassification task = task_from(checkpoint);
  Trainer trainer(kernels(), task, constant);
  trainer.resume(checkpoint);
  EXPECT_EQ(trainer.initial_scores(), (Scores{{"loss", 0.75}}));
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 3});
  trainer.save(folder / "model");
  EXPECT_TRUE(text_of(folder / "model" / "model.safetensors") == trained_weights(constant, 3));
}

struct RateLog final : Callback {
  std::vector<double> rates;
  void on_step(const StepResult& result, int64_t) override { rates.push_back(result.learning_rate()); }
};

TEST(Trainer, TrainsAFinishedRunFurtherWithTheScheduleOfAllSteps) {
  const TemporaryFolder folder;
  const std::filesystem::path checkpoint = write_finished_run(quick(), folder.path());
  const TextClassification task = task_from(checkpoint);
  Trainer trainer(kernels(), task, quick());
  trainer.resume(checkpoint);
  RateLog log;
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 2, .callback = &log});
  ASSERT_EQ(log.rates.size(), 3u);
  for (int step = 0; step < 3; ++step) EXPECT_DOUBLE_EQ(log.rates[step], 0.01 * (3 - step) / 6);
}

TEST(Trainer, AFinishedRunCannotBecomeShorter) {
  const TemporaryFolder folder;
  const std::filesystem::path checkpoint = write_finished_run(quick(), folder.path());
  TrainingOptions options = quick();
  options.total_steps = 2;
  const TextClassification task = task_from(checkpoint);
  EXPECT_THAT(message_of<UsageError>([&] { Trainer(kernels(), task, options).resume(checkpoint); }),
              AllOf(HasSubstr("an end after step 2\n"), HasSubstr("an end after step 3"), HasSubstr("more epochs")));
}

// Any cause may end the run between its last checkpoint and the saving of its model.
TEST(Trainer, SavesTheModelAfterResumingAtTheLastStep) {
  const TemporaryFolder folder;
  const std::filesystem::path checkpoint = write_finished_run(quick(), folder.path());
  const TextClassification task = task_from(checkpoint);
  for (const bool validates : {true, false}) {
    Trainer trainer(kernels(), task, quick());
    trainer.resume(checkpoint);
    FitOptions options{.num_train_epochs = 1};
    if (validates) options.validation = {{task.batches(ten_rows(), kBatchSize)}};
    const FitResult result = trainer.fit(shuffled_batches(task), options);
    EXPECT_EQ(result.steps, kStepsPerEpoch);
    EXPECT_TRUE(std::isfinite(result.mean_loss));
    EXPECT_EQ(result.scores.empty(), !validates);
    trainer.save(folder / "model");
    EXPECT_TRUE(text_of(folder / "model" / "model.safetensors") == trained_weights(quick(), 1));
    trainer.save_checkpoint(checkpoint);  // after on_epoch_end
  }
}

// In the second epoch of a file: no earlier row is read, and an older checkpoint skips the rows.
TEST(Trainer, ResumesFromTheStateOfTheData) {
  const TemporaryFolder folder;
  write_text(folder / "rows.csv",
             "text,label\na good play,good\na bad play,bad\ngood,good\nbad,bad\na good story,good\n"
             "a bad story,bad\nthe film was good,good\nthe film was bad,bad\n");
  std::atomic<int> read = 0;
  const auto batches = [&](const TextClassification& task) {
    return task.batches(data::read_csv((folder / "rows.csv").string()).filter([&](const data::Example&) {
      ++read;
      return true;
    }),
                        2);
  };
  const auto resumed = [&](bool with_data_state) {
    const std::filesystem::path checkpoint = folder / "run" / "checkpoint-6";
    if (!with_data_state) {
      std::filesystem::remove(checkpoint / "data_state.json");
      renew_manifest(checkpoint);
    }
    const TextClassification task = task_from(checkpoint);
    Trainer trainer(kernels(), task, quick());
    trainer.resume(checkpoint);
    read = 0;
    trainer.fit(batches(task), {.num_train_epochs = 1, .steps_per_epoch = 8});
    trainer.save(folder / "model");
    return text_of(folder / "model" / "model.safetensors");
  };
  const TextClassification task = task_from(kTinyBert);
  Trainer whole(kernels(), task, quick());
  whole.fit(batches(task),
            {.num_train_epochs = 1, .steps_per_epoch = 8, .checkpoints = {.folder = folder / "run", .every = 6}});
  whole.save(folder / "whole");
  EXPECT_TRUE(resumed(true) == text_of(folder / "whole" / "model.safetensors"));
  EXPECT_EQ(read, 4);  // two batches of two rows
  EXPECT_TRUE(resumed(false) == text_of(folder / "whole" / "model.safetensors"));
  EXPECT_EQ(read, 16);
}

TEST(Trainer, ResumesOnlyWithTheOptionsOfTheRun) {
  const TemporaryFolder folder;
  TrainingOptions options = quick();
  options.must_match = {{"batch_size", "4"}};
  write_checkpoint(options, folder / "checkpoint");
  const TextClassification task = task_from(folder / "checkpoint");
  const auto refused = [&](const TrainingOptions& other) {
    return message_of<UsageError>([&] { Trainer(kernels(), task, other).resume(folder / "checkpoint"); });
  };
  TrainingOptions other = options;
  other.seed = 43;
  other.learning_rate = 0.02;
  EXPECT_THAT(refused(other),
              AllOf(HasSubstr((folder / "checkpoint").string()), HasSubstr("given     learning_rate 0.02, seed 43\n"),
                    HasSubstr("expected  learning_rate 0.01, seed 42, as in the run")));
  other = options;
  other.dtype = DType::kBFloat16;
  EXPECT_THAT(refused(other), AllOf(HasSubstr("dtype bfloat16"), HasSubstr("dtype float32")));
  other = options;
  other.must_match = {{"batch_size", "8"}, {"task", "other"}};
  EXPECT_THAT(refused(other),
              AllOf(HasSubstr("batch_size 8, task other\n"), HasSubstr("batch_size 4, task none, as in the run")));
  Trainer(kernels(), task, options).resume(folder / "checkpoint");
}

TEST(Trainer, ResumesOnlyWithTheScheduleOfTheRun) {
  const TemporaryFolder folder;
  write_checkpoint(quick(), folder / "checkpoint");
  const TextClassification task = task_from(folder / "checkpoint");
  Trainer trainer(kernels(), task, quick());
  trainer.resume(folder / "checkpoint");
  EXPECT_THAT(
      message_of<UsageError>([&] { trainer.fit(shuffled_batches(task), {.num_train_epochs = 4}); }),
      AllOf(HasSubstr("given     a schedule with an end after step 12\n"), HasSubstr("expected  an end after step 9")));
  TrainingOptions longer = quick();
  longer.total_steps = 12;
  EXPECT_THAT(message_of<UsageError>([&] { Trainer(kernels(), task, longer).resume(folder / "checkpoint"); }),
              HasSubstr("an end after step 12\n"));
  EXPECT_EQ(trainer.fit(shuffled_batches(task), {.num_train_epochs = 3}).steps, 9);
  // From here on it is a separate run.
  EXPECT_EQ(trainer.fit(shuffled_batches(task), {.num_train_epochs = 4}).steps, 12);
}

TEST(Trainer, ConstantScheduleMayBecomeLonger) {
  const TemporaryFolder folder;
  const TrainingOptions options{.learning_rate = 0.01, .lr_scheduler_type = "constant"};
  write_checkpoint(options, folder / "checkpoint");
  const TextClassification task = task_from(folder / "checkpoint");
  Trainer trainer(kernels(), task, options);
  trainer.resume(folder / "checkpoint");
  EXPECT_EQ(trainer.fit(shuffled_batches(task), {.num_train_epochs = 5}).steps, 15);
}

TEST(Trainer, ResumeEncodesNoSkippedRow) {
  const TemporaryFolder folder;
  write_checkpoint(quick(), folder / "checkpoint");
  const TextClassification task = task_from(folder / "checkpoint");
  int64_t encoded = 0;
  const data::Dataset batches = ten_rows()
                                    .shuffle({.buffer = 100, .seed = 3})
                                    .map([&](const data::Example& row) {
                                      ++encoded;
                                      return task.encode(row);
                                    })
                                    .padded_batch(kBatchSize, {.lengths = {12}});
  Trainer trainer(kernels(), task, quick());
  trainer.resume(folder / "checkpoint");
  trainer.fit(batches, {.num_train_epochs = 3});
  EXPECT_EQ(encoded, 2 * 10);  // two epochs of ten rows; counting the batches of an epoch encodes none
}

// A second attempt at a step must not take incomplete moments for complete ones.
TEST(Trainer, RejectsIncompleteMomentsEachTime) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  const TemporaryFolder folder;
  Recorder recorder(trainer, kStepsPerEpoch);
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 3, .callback = &recorder});
  trainer.save_checkpoint(folder / "saved");
  {
    const io::SafetensorsFile file = io::SafetensorsFile::open(folder / "saved" / "optimizer.safetensors");
    std::vector<NamedTensorView> some;
    for (const io::SafetensorsEntry& entry : file.entries()) {
      if (entry.name != "v.classifier.bias") some.push_back({entry.name, *file.find(entry.name)});
    }
    io::write_safetensors(folder / "some.safetensors", some);
  }
  std::filesystem::rename(folder / "some.safetensors", folder / "saved" / "optimizer.safetensors");
  renew_manifest(folder / "saved");

  const TextClassification again = task_from(folder / "saved");
  Trainer resumed(kernels(), again, quick());
  resumed.resume(folder / "saved");
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(message_of<CheckpointError>([&] { resumed.fit(shuffled_batches(again), {.num_train_epochs = 3}); }),
                HasSubstr("v.classifier.bias"));
    EXPECT_EQ(resumed.steps(), kStepsPerEpoch);
  }
}

TEST(Trainer, ResumesOnlyFromACheckpointAndBeforeTheFirstStep) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, quick());
  EXPECT_THAT(message_of<NotFoundError>([&] { trainer.resume(kTinyBert); }), HasSubstr("training_state.json"));
  trainer.fit(shuffled_batches(task), {.num_train_epochs = 1});
  const TemporaryFolder folder;
  trainer.save_checkpoint(folder / "checkpoint");
  EXPECT_THAT(message_of<UsageError>([&] { trainer.resume(folder / "checkpoint"); }),
              HasSubstr("before the first step"));
}

// The other rows of such a batch would be zeros.
TEST(Trainer, RejectsABatchWithOtherLocalRows) {
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(kernels(), task, {.lr_scheduler_type = "constant"});
  data::Example batch = *task.batches(ten_rows(), kBatchSize).iterate().next();
  batch.set_local_rows(std::make_shared<const data::LocalRows>(
      data::LocalRows{.size = kBatchSize, .share = {.parts = 2, .begin = 1, .end = 2}}));
  EXPECT_THAT(message_of<UsageError>([&] { trainer.step(batch); }),
              AllOf(HasSubstr("part 2 of 2 of its rows"), HasSubstr("all, the local rows of this process")));
  EXPECT_EQ(trainer.steps(), 0);
}

}  // namespace
}  // namespace portatune::test
