// Two runs in one process leave each other alone.
#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <thread>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/run.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

using cli::Toy;

// The weights that a run trains alone in the process.
std::string weights_of(const RunOptions& options) {
  Events unobserved;
  EXPECT_TRUE(fit(options, unobserved));
  return cli::read(options.output / "model.safetensors");
}

RunOptions with_seed(const Toy& toy, uint64_t seed, const std::string& output) {
  RunOptions options = options_of(toy, output);
  options.training.seed = seed;
  return options;
}

// Requests a stop from a source after a step.
class RequestAfter final : public Events {
 public:
  RequestAfter(StopSource& stop, int64_t step) : stop_(stop), step_(step) {}

  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(*this);
  }

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(RequestAfter& events) : events_(events) {}

   private:
    void on_counted_step(const StepResult& result, int64_t) override {
      if (result.step() >= events_.step_) events_.stop_.request_stop();
    }

    RequestAfter& events_;
  };

  StopSource& stop_;
  const int64_t step_;
};

TEST(TwoRuns, AtOnceTrainTheBitsOfSingleRuns) {
  const Toy toy;
  const std::string first = weights_of(with_seed(toy, 1, "first")), second = weights_of(with_seed(toy, 2, "second"));
  EXPECT_NE(first, second);
  auto running = std::async(std::launch::async, [&] { return weights_of(with_seed(toy, 1, "first again")); });
  EXPECT_EQ(weights_of(with_seed(toy, 2, "second again")), second);
  EXPECT_EQ(running.get(), first);
}

TEST(TwoRuns, AStopEndsOneAndLeavesTheOther) {
  const Toy toy;
  const std::string whole = weights_of(with_seed(toy, 1, "whole"));
  StopSource first, second;
  RunOptions stopped = with_seed(toy, 1, "stopped"), other = with_seed(toy, 1, "other");
  stopped.stop = first.token();
  other.stop = second.token();
  auto running = std::async(std::launch::async, [&] { return weights_of(other); });
  RequestAfter events(first, 3);
  EXPECT_FALSE(fit(stopped, events));
  EXPECT_EQ(running.get(), whole);

  stopped.stop = {};
  stopped.resume = true;
  EXPECT_EQ(weights_of(stopped), whole);
}

TEST(StopOfARun, EndsWaitsBeforeTraining) {
  const Toy toy;
  StopSource stop;
  stop.request_stop();
  RunOptions options = options_of(toy, "stopped");
  options.stop = stop.token();
  Events unobserved;
  EXPECT_THROW(fit(options, unobserved), Stopped);
  options.folds = 2;
  options.validation.clear();
  EXPECT_THROW(cross_validate(options, unobserved), Stopped);
}

TEST(StopOfARun, EndsEvaluationAndPrediction) {
  const Toy toy;
  const RunOptions trained = options_of(toy, "model");
  weights_of(trained);
  StopSource stop;
  stop.request_stop();
  Events unobserved;
  EvaluateOptions evaluation{.data = trained.validation, .device = trained.device, .stop = stop.token()};
  evaluation.model.folder = trained.output;
  EXPECT_THROW(evaluate(evaluation, unobserved), Stopped);
  PredictOptions prediction{.data = trained.validation, .device = trained.device, .stop = stop.token()};
  prediction.model.folder = trained.output;
  class Sink final : public PredictionSink {
    void add(const data::Example&, const data::Example&) override {}
    void finish() override { ADD_FAILURE() << "the prediction was not stopped"; }
  };
  const auto open = [](const RowTask&, const data::Dataset&) { return std::make_unique<Sink>(); };
  EXPECT_THROW(predict(prediction, open, unobserved), Stopped);
}

}  // namespace
}  // namespace portatune::run
