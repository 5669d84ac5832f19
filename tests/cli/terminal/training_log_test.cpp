#include "portatune/cli/terminal/training_log.h"

#include <gmock/gmock.h>

#include "cli/terminal/fake_terminal.h"

namespace portatune::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// Three epochs of four steps, written to a file.
class TrainingLogInFile : public testing::Test {
 protected:
  // The line of the progress bar after a step.
  std::string bar_at(int64_t step) {
    const std::filesystem::path folder = std::filesystem::path(PORTATUNE_COMMAND).parent_path();
    const Device device({.plugin = folder / "xla_cpu_pjrt.so", .use_cache = false});
    const auto number = [&] { return device.put(Tensor({}, {0.5f})); };
    fake_.take();
    fake_.now_s += 2 * kPlainLine_s;
    log_.on_step(StepResult(step, 1e-3, {}, {number(), number(), number(), number()}), 12);
    return fake_.take();
  }

  FakeTerminal fake_;
  run::RowProgress evaluation_;
  TrainingLog log_{fake_.terminal(false), false, {.num_train_epochs = 3, .steps_per_epoch = 4}, evaluation_};
};

TEST_F(TrainingLogInFile, HasTheEpochAfterAResumeAtTheEndOfAnEpoch) {
  log_.on_begin({.steps = 4, .total_steps = 12, .steps_per_epoch = 4});
  log_.on_epoch_end(1, 0.5, {});
  EXPECT_THAT(fake_.take(), HasSubstr("epoch 1/3     4 "));
  EXPECT_THAT(bar_at(5), HasSubstr("epoch 2/3   5/12"));
}

TEST_F(TrainingLogInFile, HasTheEpochAfterAResumeAtTheEarlyEndOfAnEpoch) {
  log_.on_begin({.steps = 5, .total_steps = 12, .steps_per_epoch = 4, .omitted_steps = 2});
  log_.on_epoch_end(1.75, 0.5, {});
  EXPECT_THAT(bar_at(6), HasSubstr("epoch 3/3   6/12"));
}

TEST_F(TrainingLogInFile, HasTheScoresOfAnEndedEpochOnce) {
  const Scores scores{{"loss", 0.25}};
  log_.on_evaluation(2, 0.5, scores);
  EXPECT_THAT(fake_.take(), EndsWith("0.2500\n"));
  log_.on_epoch_end(0.5, 0.75, scores);
  EXPECT_THAT(fake_.take(), EndsWith("0.7500\n"));
  // A whole epoch has one line.
  log_.on_evaluation(6, 2, scores);
  EXPECT_EQ(fake_.take(), "");
  log_.on_epoch_end(2, 0.75, scores);
  EXPECT_THAT(fake_.take(), EndsWith("0.7500     0.2500\n"));
}

TEST_F(TrainingLogInFile, HasTheScoresThatACallbackAsksForAtTheEndOfAnEpoch) {
  log_.on_begin({.steps = 4, .total_steps = 12, .steps_per_epoch = 4});
  log_.on_epoch_end(1, 0.75, {});
  EXPECT_THAT(fake_.take(), EndsWith("0.7500\n"));
  log_.on_evaluation(4, 1, {{"loss", 0.25}});
  EXPECT_THAT(fake_.take(), EndsWith("0.2500\n"));
}

}  // namespace
}  // namespace portatune::cli
