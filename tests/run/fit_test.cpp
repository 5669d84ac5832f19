// run::fit() and `portatune fit` train the same model, also when they resume.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "run/toy_run.h"

namespace portatune::run {
namespace {

using cli::Toy;
using testing::ElementsAre;
using testing::HasSubstr;

// The weights that the command trains with these options.
std::string weights_of_command(const Toy& toy) {
  const cli::Finished run = cli::portatune(toy.fit({"--epochs", "2"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return cli::read(toy.output() + "/model.safetensors");
}

std::string weights_in(const RunOptions& options) { return cli::read(options.output / "model.safetensors"); }

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
