#include "portatune/cli/terminal/report.h"

#include <gmock/gmock.h>

#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {
namespace {

TEST(Report, ScoresInALine) {
  EXPECT_EQ(describe({{"loss", 0.5}, {"accuracy", 0.91237}, {"roc_auc", 1}}),
            "loss 0.5000, accuracy 0.9124, AUC 1.0000");
}

// A metric that is not defined before training, or not after it, shall not move the others to a wrong row.
TEST(Report, ScoresAreMatchedByName) {
  const run::Outcome outcome{.before = Scores{{"loss", 0.7}, {"roc_auc", 0.5}},
                             .after = Scores{{"loss", 0.1}, {"accuracy", 0.9}, {"roc_auc", 0.8}},
                             .output = "out"};
  EXPECT_EQ(table_of(outcome),
            "                        before     after\n"
            "held-out loss           0.7000    0.1000\n"
            "held-out accuracy            -    0.9000\n"
            "held-out AUC            0.5000    0.8000\n"
            "model               out\n");
}

TEST(Report, ScoresWithoutThoseBeforeTraining) {
  EXPECT_EQ(table_of(run::Outcome{.after = Scores{{"loss", 0.1}}, .output = "out"}),
            "                        before     after\n"
            "held-out loss                -    0.1000\n"
            "model               out\n");
}

TEST(Report, LargeScoresDoNotTouch) {
  const run::Outcome outcome{.before = Scores{{"loss", 10.8174}, {"perplexity", 49879.9638}},
                             .after = Scores{{"loss", 10.8063}, {"perplexity", 49332.1742}},
                             .output = "out"};
  EXPECT_EQ(table_of(outcome),
            "                          before       after\n"
            "held-out loss            10.8174     10.8063\n"
            "held-out perplexity   49879.9638  49332.1742\n"
            "model               out\n");
}

// Each trial of a sweep has an output folder of its own.
TEST(TrainingEvents, NameTheFolderOfTheRunWhoseModelIsRescued) {
  TrainingEvents events(Reporting{});
  testing::internal::CaptureStderr();
  events.rescued("swept/trial-003.rescued-1", "swept/trial-003");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::HasSubstr("not saved in swept/trial-003;"),
                             testing::HasSubstr("cp -r swept/trial-003.rescued-1/. swept/trial-003")));
}

}  // namespace
}  // namespace portatune::cli
