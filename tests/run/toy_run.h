// Runs of the library on the toy task.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/toy.h"
#include "portatune/run.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::run {

/// The options of Toy::fit(), with two epochs of four steps.
inline RunOptions options_of(const cli::Toy& toy, const std::string& output) {
  RunOptions options;
  options.model.folder = cli::tiny_bert();
  options.model.options.of<TextClassificationRunOptions>().max_length = 16;
  options.train = {toy.file("train.csv")};
  options.validation = {toy.file("validation.csv")};
  options.output = toy.file(output);
  options.batch_size = 16;
  options.epochs = 2;
  options.training.learning_rate = 1e-2;
  options.device.plugin = std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so";
  return options;
}

/// Requests a stop after a step, and notes the names of events.
class StopAfter final : public Events {
 public:
  explicit StopAfter(int64_t step) : step_(step) {}

  void opening(const Opening&) override { names.emplace_back("opening"); }
  void scores_before(const Scores&) override { names.emplace_back("scores before"); }
  void stopped(int64_t step, const std::filesystem::path& folder) override {
    names.push_back("stopped after step " + std::to_string(step));
    checkpoint = folder;
  }
  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(step_);
  }

  std::vector<std::string> names;
  std::filesystem::path checkpoint;

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(int64_t step) : step_(step) {}
    bool should_stop() override { return seen_ >= step_; }

   private:
    void on_counted_step(const StepResult& result, int64_t) override { seen_ = result.step(); }

    const int64_t step_;
    int64_t seen_ = 0;
  };

  const int64_t step_;
};

}  // namespace portatune::run
