#include <gmock/gmock.h>

#include <utility>

#include "cli/terminal/fake_terminal.h"
#include "portatune/cli/terminal/progress_bar.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// 32 rows in half a second, so many times.
void read_rows(RowBar& progress, FakeTerminal& fake, int times) {
  for (int i = 0; i < times; ++i) {
    progress.add(32);
    fake.now_s += 0.5;
  }
}

TEST(RowBar, TellsRowsAndRate) {
  FakeTerminal fake{.columns = 80};
  RowBar progress(fake.terminal(true), "evaluating");
  read_rows(progress, fake, 4);
  progress.add(32);
  EXPECT_THAT(fake.take(), testing::EndsWith("\revaluating: 160 rows  80/s\x1b[K"));
  EXPECT_EQ(progress.rows(), 160);
}

TEST(RowBar, DisappearsAtTheEndOfAPass) {
  FakeTerminal fake{.columns = 80};
  RowBar progress(fake.terminal(true), "evaluating");
  read_rows(progress, fake, 2);
  fake.take();
  progress.finish();
  EXPECT_EQ(fake.take(), "\r\x1b[K");
  progress.finish();
  EXPECT_EQ(fake.take(), "");
}

TEST(RowBar, IsHiddenUntilTheNextCount) {
  FakeTerminal fake{.columns = 80};
  RowBar progress(fake.terminal(true), "training", "steps");
  read_rows(progress, fake, 2);
  EXPECT_EQ(fake.take(), "\rtraining: 64 steps  128/s\x1b[K");
  progress.hide();
  EXPECT_EQ(fake.take(), "\r\x1b[K");
  progress.hide();
  EXPECT_EQ(fake.take(), "");
  progress.add(32);
  EXPECT_EQ(fake.take(), "\rtraining: 96 steps  96/s\x1b[K");
}

TEST(RowBar, SecondPassHasAShareAndATimeLeft) {
  FakeTerminal fake{.columns = 80};
  RowBar progress(fake.terminal(true), "evaluating");
  read_rows(progress, fake, 10);
  progress.finish();
  read_rows(progress, fake, 5);
  EXPECT_THAT(fake.take(), HasSubstr("evaluating: 160 of 320 rows [##########..........]  80/s  0:02 left"));
  EXPECT_EQ(progress.rows(), 480);
}

TEST(RowBar, WritesALineEvery30SecondsWhereNothingCanBeRewritten) {
  FakeTerminal fake{.columns = 80};
  RowBar progress(fake.terminal(false), "tokenizing");
  read_rows(progress, fake, 59);
  EXPECT_EQ(fake.take(), "");
  read_rows(progress, fake, 2);
  EXPECT_EQ(fake.take(), "tokenizing: 1,952 rows  65/s\n");
  progress.finish();
  EXPECT_EQ(fake.take(), "");
}

}  // namespace
}  // namespace portatune::cli
