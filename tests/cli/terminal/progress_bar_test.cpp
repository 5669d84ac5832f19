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
    bar.update(step, total, 2.0, {.real = 75, .positions = 100});
  }
}

TEST(ProgressBar, TellsStepLossTimeLeftTokensPerSecondAndPadding) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  run_steps(bar, fake, 50);
  // 50 steps of 0.5 s are left; 75 tokens in 0.5 s.
  EXPECT_THAT(fake.take(), testing::EndsWith("\r 50/100 [####################....................]"
                                             "  loss 2.0000  0:25 left  150 tokens/s  25% padding\x1b[K"));
}

TEST(ProgressBar, TellsTheShareOfWaitingIfThereIsAny) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  fake.now_s = 1;
  bar.update(1, 10, 4.0, {}, 0.123);
  EXPECT_THAT(fake.take(), HasSubstr("  12% waiting for input\x1b[K"));
  fake.now_s = 2;
  bar.update(2, 10, 4.0, {}, 0);
  EXPECT_THAT(fake.take(), Not(HasSubstr("waiting")));
}

TEST(ProgressBar, LossIsAMeanThatBeginsWithTheFirstStep) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  fake.now_s = 1;
  bar.update(1, 10, 4.0, {});
  EXPECT_THAT(fake.take(), HasSubstr("loss 4.0000"));
  fake.now_s = 2;
  bar.update(2, 10, 1.0, {});
  // (0.95 x 4 + 1) / 1.95
  EXPECT_THAT(fake.take(), HasSubstr("loss 2.4615"));
}

TEST(ProgressBar, IsDrawnAtMostTenTimesASecond) {
  FakeTerminal fake;
  ProgressBar bar(fake.terminal(true));
  for (int64_t step = 1; step <= 1000; ++step) {
    fake.now_s = static_cast<double>(step) / 1000;
    bar.update(step, 2000, 1.0, {});
  }
  const std::string written = fake.take();
  EXPECT_LE(std::ranges::count(written, '\r'), 10);
  EXPECT_GE(std::ranges::count(written, '\r'), 9);
}

TEST(ProgressBar, NeverFillsTheLastColumnNorSpillsOver) {
  for (int columns = 1; columns <= 130; ++columns) {
    FakeTerminal fake{.columns = columns};
    ProgressBar bar(fake.terminal(true));
    run_steps(bar, fake, 3, 1'000'000);
    std::string line = fake.take();
    line = line.substr(line.rfind('\r') + 1);
    ASSERT_TRUE(line.ends_with("\x1b[K"));
    EXPECT_LT(static_cast<int>(line.size()) - 3, columns);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(ProgressBar, NarrowTerminalsKeepTheMostImportant) {
  FakeTerminal fake{.columns = 30};
  ProgressBar bar(fake.terminal(true));
  run_steps(bar, fake, 2);
  EXPECT_THAT(fake.take(), testing::EndsWith("\r  2/100  loss 2.0000\x1b[K"));
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
    bar.update(1, 2, 1.0, {});
    bar.update(2, 2, 1.0, {});  // too soon to be drawn
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
