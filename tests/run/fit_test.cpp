// run::fit() and `portatune fit` train the same model, also when they resume.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/error.h"
#include "portatune/run.h"

namespace portatune::run {
namespace {

using cli::Toy;
using testing::ElementsAre;
using testing::HasSubstr;

// The options of Toy::fit(), with two epochs of four steps.
RunOptions options_of(const Toy& toy, const std::string& output) {
  RunOptions options;
  options.model.folder = cli::tiny_bert();
  options.model.options.max_length = 16;
  options.train = {toy.file("train.csv")};
  options.validation = {toy.file("validation.csv")};
  options.output = toy.file(output);
  options.batch_size = 16;
  options.epochs = 2;
  options.training.learning_rate = 1e-2;
  options.device.plugin = std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so";
  return options;
}

// The weights that the command trains with these options.
std::string weights_of_command(const Toy& toy) {
  const cli::Finished run = cli::portatune(toy.fit({"--epochs", "2"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return cli::read(toy.output() + "/model.safetensors");
}

std::string weights_in(const RunOptions& options) { return cli::read(options.output / "model.safetensors"); }

// Requests a stop after one step, and notes the names of events.
class StopAfter final : public Events {
 public:
  explicit StopAfter(int64_t step) : step_(step) {}

  void opening(const Opening&) override { names.emplace_back("opening"); }
  void scores_before(const Scores&) override { names.emplace_back("scores before"); }
  void stopped(int64_t step, const std::filesystem::path& folder) override {
    names.push_back("stopped after step " + std::to_string(step));
    checkpoint = folder;
  }
  std::unique_ptr<TrainingObserver> training(int64_t, RowProgress&) override {
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

TEST(Fit, EqualsTheCommandToTheBit) {
  const Toy toy;
  const RunOptions options = options_of(toy, "library");
  Events unobserved;
  const std::optional<Outcome> outcome = fit(options, unobserved);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->steps, 8);
  EXPECT_EQ(outcome->train_examples, 64);
  EXPECT_EQ(weights_in(options), weights_of_command(toy));
}

TEST(Fit, ResumedRunEqualsTheCommandToTheBit) {
  const Toy toy;
  RunOptions options = options_of(toy, "library");
  StopAfter stop(3);
  EXPECT_FALSE(fit(options, stop));
  EXPECT_THAT(stop.names, ElementsAre("opening", "scores before", HasSubstr("stopped after step")));
  EXPECT_TRUE(std::filesystem::exists(stop.checkpoint));
  options.resume = true;
  Events unobserved;
  const std::optional<Outcome> outcome = fit(options, unobserved);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->steps, 8);
  EXPECT_EQ(weights_in(options), weights_of_command(toy));
}

// The command resumes what the library has begun.
TEST(Fit, TheCommandResumesIt) {
  const Toy toy;
  StopAfter stop(3);
  EXPECT_FALSE(fit(options_of(toy, "tuned"), stop));
  const cli::Finished resumed = cli::portatune(toy.fit({"--epochs", "2", "--resume"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resuming from " + stop.checkpoint.string()));
  const std::string weights = cli::read(toy.output() + "/model.safetensors");
  std::filesystem::remove_all(toy.output());
  EXPECT_EQ(weights, weights_of_command(toy));
}

TEST(Fit, RejectsOptionsOfACrossValidation) {
  const Toy toy;
  RunOptions options = options_of(toy, "library");
  options.test = {toy.file("validation.csv")};
  Events unobserved;
  EXPECT_THROW(fit(options, unobserved), UsageError);
}

TEST(CrossValidate, MeasuresEachFold) {
  const Toy toy;
  RunOptions options = options_of(toy, "folds");
  options.validation.clear();
  options.folds = 2;
  options.max_steps = 2;
  Events unobserved;
  const std::optional<FoldOutcome> outcome = cross_validate(options, unobserved);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->folds.size(), 2u);
  EXPECT_THAT(outcome->predictions, ElementsAre(options.output / "out_of_fold.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(options.output / "fold-2" / "model.safetensors"));
}

}  // namespace
}  // namespace portatune::run
