#include "portatune/cli/terminal/progress_bar.h"

#include <gmock/gmock.h>

#include "cli/terminal/fake_terminal.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Steps from 1 on, one in half a second, 75 of whose 100 positions are tokens.
void run_steps(ProgressBar& bar, FakeTerminal& fake, int64_t steps, int64_t total = 100) {
  for (int64_t step = 1; step <= steps; ++step) {
    fake.now_s += 0.5;
    bar.update(
        {.step = step, .total = total, .loss = 2.0, .learning_rate = 3e-5, .tokens = {.real = 75, .positions = 100}});
  }
}

// The line that was drawn last.
std::string last_line(FakeTerminal& fake) {
  std::string text = fake.take();
  text = text.substr(text.rfind('\r') + 1);
  EXPECT_THAT(text, testing::EndsWith("\x1b[K"));
  return text.substr(0, text.size() - 3);
}

TEST(ProgressBar, TellsEpochStepLossLearningRateTokensPerSecondTimesAndPadding) {
  FakeTerminal fake{.columns = 150};
  ProgressBar bar(fake.terminal(true), 25);
  run_steps(bar, fake, 40);
  // 40 steps of 0.5 s are done and 60 are left; 75 tokens in 0.5 s.
  EXPECT_EQ(last_line(fake),
            "epoch 2/4   40/100 [################........................]"
            "  loss 2.0000  lr 3.0e-05  150 tokens/s  0:20, 0:30 left  25% padding");
}

TEST(ProgressBar, TellsTheEpochOfAStep) {
  const auto epoch_of = [](int64_t step, int64_t total = 12) {
    FakeTerminal fake;
    ProgressBar bar(fake.terminal(true), 4);
    run_steps(bar, fake, step, total);
    return last_line(fake).substr(0, 9);
  };
  EXPECT_EQ(epoch_of(1), "epoch 1/3");
  EXPECT_EQ(epoch_of(4), "epoch 1/3");
  EXPECT_EQ(epoch_of(5), "epoch 2/3");
  EXPECT_EQ(epoch_of(12), "epoch 3/3");
  EXPECT_EQ(epoch_of(9, 10), "epoch 3/3");  // --max-steps 10
  EXPECT_NE(epoch_of(1, 4).substr(0, 5), "epoch");
}

TEST(ProgressBar, TellsTheEpochOfAStepAfterAnEndedEpoch) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true), 4);
  fake.now_s = 1;
  bar.update({.step = 3, .total = 12, .omitted = 2});
  EXPECT_EQ(last_line(fake).substr(0, 9), "epoch 2/3");
}

// The first steps of a resumed run come after those of the interrupted one.
TEST(ProgressBar, TimesAreThoseOfThisProcess) {
  FakeTerminal fake{.now_s = 1000};
  ProgressBar bar(fake.terminal(true));
  for (const int64_t step : {91, 92}) {
    fake.now_s += 2;
    bar.update({.step = step, .total = 100});
  }
  EXPECT_THAT(last_line(fake), HasSubstr("  0:04, 0:16 left"));
}

TEST(ProgressBar, TellsTheShareOfWaitingIfThereIsAny) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  fake.now_s = 1;
  bar.update({.step = 1, .total = 10, .loss = 4.0, .waited = 0.123});
  EXPECT_THAT(fake.take(), HasSubstr("  12% waiting for input\x1b[K"));
  fake.now_s = 2;
  bar.update({.step = 2, .total = 10, .loss = 4.0});
  EXPECT_THAT(fake.take(), Not(HasSubstr("waiting")));
}

TEST(ProgressBar, LossIsAMeanThatBeginsWithTheFirstStep) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  fake.now_s = 1;
  bar.update({.step = 1, .total = 10, .loss = 4.0});
  EXPECT_THAT(fake.take(), HasSubstr("loss 4.0000"));
  fake.now_s = 2;
  bar.update({.step = 2, .total = 10, .loss = 1.0});
  // (0.95 x 4 + 1) / 1.95
  EXPECT_THAT(fake.take(), HasSubstr("loss 2.4615"));
}

TEST(ProgressBar, IsDrawnAtMostTenTimesASecond) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  for (int64_t step = 1; step <= 1000; ++step) {
    fake.now_s = static_cast<double>(step) / 1000;
    bar.update({.step = step, .total = 2000, .loss = 1.0});
  }
  const std::string written = fake.take();
  EXPECT_LE(std::ranges::count(written, '\r'), 10);
  EXPECT_GE(std::ranges::count(written, '\r'), 9);
}

TEST(ProgressBar, NeverFillsTheLastColumnNorSpillsOver) {
  for (int columns = 1; columns <= 170; ++columns) {
    FakeTerminal fake{.columns = columns};
    ProgressBar bar(fake.terminal(true), 100'000);
    run_steps(bar, fake, 3, 1'000'000);
    const std::string line = last_line(fake);
    EXPECT_LT(static_cast<int>(line.size()), columns);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(ProgressBar, NarrowTerminalsKeepTheMostImportant) {
  const auto line_of = [](int columns) {
    FakeTerminal fake{.columns = columns};
    ProgressBar bar(fake.terminal(true), 264);
    run_steps(bar, fake, 2, 792);
    return last_line(fake);
  };
  EXPECT_EQ(line_of(80), "epoch 1/3    2/792  loss 2.0000  lr 3.0e-05  150 tokens/s  0:01, 6:35 left");
  EXPECT_EQ(line_of(70), "  2/792  loss 2.0000  lr 3.0e-05  150 tokens/s  0:01, 6:35 left");
  EXPECT_EQ(line_of(60), "  2/792  loss 2.0000  150 tokens/s  0:01, 6:35 left");
  EXPECT_EQ(line_of(40), "  2/792  loss 2.0000  0:01, 6:35 left");
  EXPECT_EQ(line_of(30), "  2/792  loss 2.0000");
  EXPECT_EQ(line_of(20), "  2/792");
  EXPECT_EQ(line_of(5), "  2/");
}

TEST(ProgressBar, LinesStandAboveTheBar) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  run_steps(bar, fake, 2);
  fake.take();
  bar.print("epoch 1/3");
  EXPECT_THAT(fake.take(), testing::StartsWith("\r\x1b[Kepoch 1/3\n\r  2/100 "));
}

TEST(ProgressBar, LastStateStaysOnTheTerminal) {
  FakeTerminal fake;
  {
    ProgressBar bar(fake.terminal(true));
    fake.now_s = 1;
    bar.update({.step = 1, .total = 2, .loss = 1.0});
    bar.update({.step = 2, .total = 2, .loss = 1.0});  // too soon to be drawn
  }
  EXPECT_THAT(fake.take(), testing::AllOf(HasSubstr("\r2/2 ["), testing::EndsWith("\n")));
}

TEST(ProgressBar, ElsewhereThereIsALineEvery30Seconds) {
  FakeTerminal fake;
  {
    ProgressBar bar(fake.terminal(false));
    run_steps(bar, fake, 130, 200);  // 65 seconds
    bar.print("epoch 1/1");
  }
  const std::string written = fake.take();
  EXPECT_EQ(std::ranges::count(written, '\n'), 3);
  EXPECT_THAT(written, Not(HasSubstr("\r")));
  EXPECT_THAT(written, Not(HasSubstr("\x1b")));
  EXPECT_THAT(written, testing::StartsWith(" 60/200 ["));
  EXPECT_THAT(written, testing::EndsWith("\nepoch 1/1\n"));
}

TEST(ProgressBar, HoursAreTold) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  run_steps(bar, fake, 2, 10'000);
  EXPECT_THAT(fake.take(), HasSubstr("1:23:19 left"));  // 9,998 steps of 0.5 s
}

}  // namespace
}  // namespace portatune::cli
