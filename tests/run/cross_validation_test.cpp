// run::cross_validate() as a function; tests/cli/train/cross_validation_test.cpp has its results.
#include <gmock/gmock.h>

#include "cli/program.h"
#include "portatune/base/threads/cores.h"
#include "portatune/run.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

// Counts the steps of all folds, and the programs that are compiled for them.
class Programs final : public Events {
 public:
  std::unique_ptr<TrainingObserver> training(const FitOptions&, RowProgress&) override {
    return std::make_unique<Observer>(*this);
  }

  int64_t steps = 0, compilations = 0, runs = 0;

 private:
  class Observer final : public TrainingObserver {
   public:
    explicit Observer(Programs& programs) : programs_(programs) { ++programs_.runs; }
    void on_compile(const std::string&, double, bool from_cache) override { programs_.compilations += !from_cache; }

   private:
    void on_counted_step(const StepResult&, int64_t) override { ++programs_.steps; }
    Programs& programs_;
  };
};

TEST(CrossValidation, CompilesTheProgramsOfOneRun) {
  const cli::Toy toy;
  RunOptions single = options_of(toy, "single");
  single.device.use_cache = false;
  single.max_steps = 3;
  RunOptions folds = single;
  folds.output = toy.file("folds");
  folds.validation = {};
  folds.folds = 4;
  folds.max_concurrent_runs = 1;
  Programs one, all;
  ASSERT_TRUE(fit(single, one));
  ASSERT_TRUE(cross_validate(folds, all));
  EXPECT_EQ(all.runs, 4);
  EXPECT_EQ(all.steps, 4 * one.steps);
  EXPECT_GT(one.compilations, 0);
  EXPECT_EQ(all.compilations, one.compilations);
}

TEST(CrossValidation, FoldsAtTheSameTimeEqualThoseOneAfterTheOther) {
  const cli::Toy toy;
  const auto folds_at_once = [&](const std::string& output, int64_t most) {
    RunOptions options = options_of(toy, output);
    options.validation = {};
    options.folds = 3;
    options.max_steps = 3;
    options.max_concurrent_runs = most;
    Events unobserved;
    EXPECT_TRUE(cross_validate(options, unobserved));
    return options.output;
  };
  const std::filesystem::path alone = folds_at_once("alone", 1), together = folds_at_once("together", 0);
  for (const char* name :
       {"fold-1/model.safetensors", "fold-2/model.safetensors", "fold-3/model.safetensors", "out_of_fold.jsonl"}) {
    EXPECT_TRUE(cli::read(together / name) == cli::read(alone / name)) << name;
  }
}

// Requests a stop when a fold is measured beside others.
class StopAtScores final : public Events {
 public:
  explicit StopAtScores(StopSource& stop) : stop_(stop) {}

  void notice(const std::string& text) override { text_ += text + "\n"; }
  void scores_beside_others(const std::string&, int64_t, const Scores&) override { stop_.request_stop(); }
  const std::string& text() const { return text_; }

 private:
  StopSource& stop_;
  std::string text_;
};

TEST(CrossValidation, FoldsAtTheSameTimeResume) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  const cli::Toy toy;
  RunOptions options = options_of(toy, "folds");
  options.validation = {};
  options.folds = 3;
  RunOptions stopped = options;
  StopSource stop;
  stopped.stop = stop.token();
  StopAtScores events(stop);
  EXPECT_FALSE(cross_validate(stopped, events));
  Events unobserved;
  options.resume = true;
  EXPECT_TRUE(cross_validate(options, unobserved));
  RunOptions whole = options;
  whole.resume = false;
  whole.output = toy.file("whole");
  whole.max_concurrent_runs = 1;
  EXPECT_TRUE(cross_validate(whole, unobserved));
  EXPECT_TRUE(cli::read(options.output / "out_of_fold.jsonl") == cli::read(whole.output / "out_of_fold.jsonl"));
  // The last fold has all cores, as the others are trained.
  std::filesystem::remove_all(options.output / "fold-2");
  StopSource none;
  StopAtScores last(none);
  EXPECT_TRUE(cross_validate(options, last));
  EXPECT_THAT(last.text(), testing::HasSubstr("fold 1 of 3: trained by an earlier run"));
  EXPECT_THAT(last.text(), testing::Not(testing::HasSubstr("at the same time")));
}

TEST(OneRun, RefusesANumberOfRunsAtTheSameTime) {
  const cli::Toy toy;
  RunOptions options = options_of(toy, "tuned");
  options.max_concurrent_runs = 2;
  Events unobserved;
  EXPECT_THROW(fit(options, unobserved), UsageError);
}

}  // namespace
}  // namespace portatune::run
