#include "portatune/cli/terminal/progress_bar.h"

#include <gmock/gmock.h>

#include <utility>

namespace portatune::cli {
namespace {

using testing::HasSubstr;

struct FakeTerminal {
  double now_s = 0;
  std::string written;

  Terminal terminal(bool rewrites) {
    return {.rewrites = rewrites,
            .columns = [] { return 80; },
            .now_s = [this] { return now_s; },
            .write = [this](std::string_view text) { written += text; }};
  }
  std::string take() { return std::exchange(written, {}); }
};

// 32 rows in half a second, so many times.
void read(RowBar& progress, FakeTerminal& fake, int times) {
  for (int i = 0; i < times; ++i) {
    progress.add(32);
    fake.now_s += 0.5;
  }
}

TEST(RowBar, TellsRowsAndRate) {
  FakeTerminal fake;
  RowBar progress(fake.terminal(true), "evaluating");
  read(progress, fake, 4);
  progress.add(32);
  EXPECT_THAT(fake.take(), testing::EndsWith("\revaluating: 160 rows  80/s\x1b[K"));
  EXPECT_EQ(progress.rows(), 160);
}

TEST(RowBar, DisappearsAtTheEndOfAPass) {
  FakeTerminal fake;
  RowBar progress(fake.terminal(true), "evaluating");
  read(progress, fake, 2);
  fake.take();
  progress.finish();
  EXPECT_EQ(fake.take(), "\r\x1b[K");
  progress.finish();
  EXPECT_EQ(fake.take(), "");
}

TEST(RowBar, SecondPassHasAShareAndATimeLeft) {
  FakeTerminal fake;
  RowBar progress(fake.terminal(true), "evaluating");
  read(progress, fake, 10);
  progress.finish();
  read(progress, fake, 5);
  EXPECT_THAT(fake.take(), HasSubstr("evaluating: 160 of 320 rows [##########..........]  80/s  0:02 left"));
  EXPECT_EQ(progress.rows(), 480);
}

TEST(RowBar, WritesALineEvery30SecondsWhereNothingCanBeRewritten) {
  FakeTerminal fake;
  RowBar progress(fake.terminal(false), "tokenizing");
  read(progress, fake, 59);
  EXPECT_EQ(fake.take(), "");
  read(progress, fake, 2);
  EXPECT_EQ(fake.take(), "tokenizing: 1,952 rows  65/s\n");
  progress.finish();
  EXPECT_EQ(fake.take(), "");
}

}  // namespace
}  // namespace portatune::cli
