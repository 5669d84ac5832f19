// run::cross_validate() as a function; tests/cli/train/cross_validation_test.cpp has its results.
#include <gmock/gmock.h>

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
  Programs one, all;
  ASSERT_TRUE(fit(single, one));
  ASSERT_TRUE(cross_validate(folds, all));
  EXPECT_EQ(all.runs, 4);
  EXPECT_EQ(all.steps, 4 * one.steps);
  EXPECT_GT(one.compilations, 0);
  EXPECT_EQ(all.compilations, one.compilations);
}

}  // namespace
}  // namespace portatune::run
