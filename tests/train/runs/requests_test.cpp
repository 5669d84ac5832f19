// What an observer asks of fit() after a step: records, evaluations and checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

// Asks for something after some steps, and notes the events of a run.
class Asking final : public Callback {
 public:
  void on_step(const StepResult& result, int64_t) override {
    note("step", result.step());
    asked_ = {.log = has(log, step_), .evaluate = has(evaluate, step_), .save = has(save, step_)};
  }
  void on_log_request() override {
    note("log", step_);
    asked_.log = false;
  }
  void on_evaluation(int64_t step, double, const Scores&) override {
    note("evaluation", step);
    asked_.evaluate = false;
    asked_.save = has(save_after_evaluation, step);
  }
  void on_checkpoint(const std::filesystem::path& folder) override {
    lines.push_back(folder.filename());
    asked_.save = false;
  }
  void on_epoch_end(double epoch, double, const Scores&) override {
    note("epoch", epoch);
    asked_.evaluate = has(evaluate_after_epoch, epoch);
  }
  StepRequests requests() override { return asked_; }
  bool waits_for_steps() override { return true; }
  bool should_stop() override { return step_ == stop_at; }

  Steps log, evaluate, save, save_after_evaluation, evaluate_after_epoch;
  int64_t stop_at = 0;
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
