// What an observer asks of fit() after a step: records, evaluations and checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "train/counting_task.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;
using Steps = std::vector<int64_t>;

using Numbers = std::vector<double>;

// Asks for something after some steps, and notes the events of a run.
class Asking final : public Callback {
 public:
  void on_step(const StepResult& result, int64_t) override {
    note("step", result.step());
    batches.push_back(std::lround(result.loss()) + step_ - 1);
    asked_ = {.log = has(log, step_),
              .evaluate = has(evaluate, step_),
              .save = has(save, step_),
              .end_epoch = has(end_epoch, step_)};
  }
  void on_log_request() override {
    note("log", step_);
    asked_.log = false;
  }
  void on_evaluation(int64_t step, double, const Scores&) override {
    note("evaluation", step);
    asked_.evaluate = false;
    asked_.save = has(save_after_evaluation, step);
    asked_.end_epoch = has(end_epoch_after_evaluation, step);
  }
  void on_checkpoint(const std::filesystem::path& folder) override {
    lines.push_back(folder.filename());
    asked_.save = false;
  }
  void on_epoch_end(double epoch, double, const Scores&) override {
    note("epoch", std::lround(epoch));
    epochs.push_back(epoch);
    asked_.evaluate = has(evaluate_after_epoch, epoch);
  }
  StepRequests requests() override { return asked_; }
  bool waits_for_steps() override { return waits; }
  bool should_stop() override { return step_ == stop_at; }

  Steps log, evaluate, save, save_after_evaluation, evaluate_after_epoch, end_epoch, end_epoch_after_evaluation;
  Steps batches;   // those of the steps, counted in each epoch from 0
  Numbers epochs;  // at their ends
  int64_t stop_at = -1;
  bool waits = true;
  Lines lines;

 private:
  static bool has(const Steps& steps, int64_t step) { return std::ranges::find(steps, step) != steps.end(); }
  void note(const char* event, int64_t number) {
    if (event == std::string("step")) step_ = number;
    lines.push_back(std::string(event) + ' ' + std::to_string(number));
  }

  StepRequests asked_;
  int64_t step_ = 0;
};

// Batches of which each has its number.
data::Dataset numbered_batches(int64_t count) {
  std::vector<data::Example> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) rows[i].set("x", Tensor({}, {static_cast<float>(i)}));
  return data::from_examples(std::move(rows)).batch({.size = 1});
}

// Trains epochs of four steps, in each of which it evaluates and saves at the end.
FitResult fit_epochs(CountingRun& run, Asking& asking, const std::filesystem::path& folder, FitOptions options = {}) {
  options.validation = {{counted_batches(1)}};
  options.checkpoints = {.folder = folder, .strategy = SaveStrategy::kEpoch, .keep = 10};
  options.callback = &asking;
  return run.trainer.fit(numbered_batches(4), options);
}

// Trains two epochs of three steps without evaluations and checkpoints of its own.
FitResult fit(CountingRun& run, Asking& asking, const std::filesystem::path& folder) {
  FitOptions options{.num_train_epochs = 2,
                     .validation = {{counted_batches(1)}},
                     .eval_on_request_only = true,
                     .checkpoints = {.folder = folder, .strategy = SaveStrategy::kNo, .keep = 10},
                     .callback = &asking};
  return run.trainer.fit(counted_batches(3), options);
}

TEST(Requests, ConcernTheStepThatTheyFollow) {
  const TemporaryFolder folder;
  CountingRun run({1, 2, 3, 4, 5, 6});
  Asking asking;
  asking.log = {4};
  asking.evaluate = {2, 5};
  asking.save = {1, 5};
  asking.save_after_evaluation = {2};
  asking.evaluate_after_epoch = {1};
  const FitResult result = fit(run, asking, folder.path());
  EXPECT_THAT(asking.lines, ElementsAre("step 1", "checkpoint-1", "step 2", "evaluation 2", "checkpoint-2", "step 3",
                                        "epoch 1", "evaluation 3", "step 4", "log 4", "step 5", "evaluation 5",
                                        "checkpoint-5", "step 6", "epoch 2"));
  for (const int64_t step : {1, 2, 5}) {
    EXPECT_EQ(steps_in_model(train::checkpoint_path(folder.path(), step)), static_cast<float>(step));
  }
  EXPECT_EQ(result.steps, 6);
  EXPECT_TRUE(result.scores.empty()) << "step 6 has no evaluation";
}

TEST(Requests, AnObserverThatWaitsStopsAfterItsStep) {
  const TemporaryFolder folder;
  CountingRun run({1, 2, 3, 4, 5, 6});
  Asking asking;
  asking.stop_at = 2;
  const FitResult result = fit(run, asking, folder.path());
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.steps, 2);
}

TEST(Requests, ARunResumesFromACheckpointThatWasAskedFor) {
  const TemporaryFolder folder;
  {
    CountingRun run({1, 2, 3, 4, 5, 6});
    Asking asking;
    asking.save = {4};
    asking.stop_at = 5;
    fit(run, asking, folder.path());
  }
  CountingRun resumed({1, 2, 3, 4, 5, 6}, train::checkpoint_path(folder.path(), 4));
  Asking asking;
  EXPECT_EQ(fit(resumed, asking, folder.path()).steps, 6);
  EXPECT_THAT(asking.lines, ElementsAre("step 5", "step 6", "epoch 2"));
}

const Numbers kScores(20, 0.0);

// The batches of each epoch: tests/oracle/train/make_steps_per_epoch.py.
TEST(StepsPerEpoch, AreFilledFromRepeatedDataAsInKeras) {
  using nlohmann::json;
  for (const json& expected : json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/steps_per_epoch.json"))) {
    CountingRun run(kScores);
    Asking asking;
    run.trainer.fit(
        numbered_batches(expected["batches"]),
        {.num_train_epochs = expected["epochs"], .steps_per_epoch = expected["steps_per_epoch"], .callback = &asking});
    Steps batches;
    Lines lines;
    int64_t epochs = 0;
    for (const json& epoch : expected["seen"]) {
      for (const int64_t batch : epoch) {
        batches.push_back(batch);
        lines.push_back("step " + std::to_string(batches.size()));
      }
      lines.push_back("epoch " + std::to_string(++epochs));
    }
    EXPECT_EQ(asking.lines, lines);
    EXPECT_EQ(asking.batches, batches);
  }
}

// The events and the numbers of epochs are those of transformers: tests/python/callbacks_test.py compares them.
TEST(RequestedEpochEnds, AreFollowedByTheFirstBatchOfTheNextEpoch) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.end_epoch = {2, 9};
  const FitResult result = fit_epochs(run, asking, folder.path(), {.num_train_epochs = 4});
  EXPECT_EQ(result.steps, 13) << "of sixteen";
  EXPECT_FALSE(result.stopped);
  EXPECT_THAT(asking.batches, ElementsAre(0, 1, 0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3));
  EXPECT_THAT(asking.epochs, ElementsAre(0.5, 2, 2.75, 4));
  EXPECT_EQ(run.trainer.omitted_steps(), 3);
}

TEST(RequestedEpochEnds, OfTheLastEpochEndTheRun) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.end_epoch = {5};
  const FitResult result = fit_epochs(run, asking, folder.path(), {.num_train_epochs = 2});
  EXPECT_EQ(result.steps, 5);
  EXPECT_FALSE(result.stopped);
  EXPECT_FALSE(result.scores.empty());
  std::erase(asking.lines, "checkpoint-4");  // is written during step 5
  EXPECT_THAT(asking.lines, ElementsAre("step 1", "step 2", "step 3", "step 4", "evaluation 4", "epoch 1", "step 5",
                                        "evaluation 5", "epoch 1", "checkpoint-5"));
}

// The second evaluation uses up the patience, but no step is left that it could save.
TEST(RequestedEpochEnds, OfTheLastEpochAreNoEarlyStop) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.end_epoch = {5};
  const FitResult result =
      fit_epochs(run, asking, folder.path(),
                 {.num_train_epochs = 2, .best_model = {.metric = "score", .early_stopping_patience = 1}});
  EXPECT_EQ(result.steps, 5);
  EXPECT_EQ(result.best_step, 4);
  EXPECT_FALSE(result.stopped_early);
}

TEST(RequestedEpochEnds, CountTheEpochsOfMaxSteps) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.end_epoch = {1};
  EXPECT_EQ(fit_epochs(run, asking, folder.path(), {.max_steps = 6}).steps, 5) << "two epochs";
  EXPECT_THAT(asking.batches, ElementsAre(0, 0, 1, 2, 3));
}

TEST(RequestedEpochEnds, MayFollowAnEvaluation) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.end_epoch_after_evaluation = {2};
  fit_epochs(run, asking, folder.path(), {.num_train_epochs = 2, .eval_steps = 2});
  EXPECT_THAT(asking.batches, ElementsAre(0, 1, 0, 1, 2, 3));
}

TEST(RequestedEpochEnds, OfAnObserverThatDoesNotWaitConcernTheStartedStep) {
  const TemporaryFolder folder;
  CountingRun run(kScores);
  Asking asking;
  asking.waits = false;
  asking.end_epoch = {1};
  fit_epochs(run, asking, folder.path(), {.num_train_epochs = 2});
  EXPECT_THAT(asking.batches, ElementsAre(0, 1, 0, 1, 2, 3));
}

// A run that resumes from any of its checkpoints has the batches of an uninterrupted one.
TEST(RequestedEpochEnds, AreKeptInCheckpoints) {
  const FitOptions options{.num_train_epochs = 3};
  const Steps all = {0, 1, 0, 1, 2, 3, 0, 1, 2, 3};
  for (size_t steps = 1; steps < all.size(); ++steps) {
    const TemporaryFolder folder;
    {
      CountingRun run(kScores);
      Asking asking;
      asking.end_epoch = {2};
      asking.save = {static_cast<int64_t>(steps)};
      asking.stop_at = static_cast<int64_t>(steps);
      fit_epochs(run, asking, folder.path(), options);
    }
    const auto checkpoint = train::checkpoint_path(folder.path(), static_cast<int64_t>(steps));
    CountingRun resumed(kScores, checkpoint);
    Asking asking;
    asking.end_epoch = {2};
    EXPECT_EQ(fit_epochs(resumed, asking, folder.path(), options).steps, 10);
    EXPECT_EQ(asking.batches, Steps(all.begin() + static_cast<std::ptrdiff_t>(steps), all.end())) << steps;
  }
}

TEST(RequestedEpochEnds, OfTheLastEpochAreNoEndForMoreEpochs) {
  const TemporaryFolder folder;
  {
    CountingRun run(kScores);
    Asking asking;
    asking.end_epoch = {2};
    fit_epochs(run, asking, folder.path(), {.num_train_epochs = 1});
  }
  CountingRun further(kScores, train::checkpoint_path(folder.path(), 2));
  Asking asking;
  EXPECT_EQ(fit_epochs(further, asking, folder.path(), {.num_train_epochs = 2}).steps, 6);
  EXPECT_THAT(asking.batches, ElementsAre(0, 1, 2, 3));
}

TEST(Requests, NeedWhatTheyAskFor) {
  CountingRun run({1, 2, 3});
  Asking asking;
  asking.evaluate = {2};
  EXPECT_THROW(run.trainer.fit(counted_batches(3), {.num_train_epochs = 1, .callback = &asking}), UsageError);
  CountingRun other({1, 2, 3});
  Asking saving;
  saving.save = {2};
  EXPECT_THROW(other.trainer.fit(counted_batches(3), {.num_train_epochs = 1, .callback = &saving}), UsageError);
}

}  // namespace
}  // namespace portatune::test
