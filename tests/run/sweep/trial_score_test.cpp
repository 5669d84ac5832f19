#include "portatune/run/sweep/trial_score.h"

#include <gmock/gmock.h>

#include "cli/program.h"
#include "io/temporary_folder.h"

namespace portatune::run {
namespace {

constexpr const char* kLog =
    R"({"step":0,"epoch":0.0,"eval_loss":0.9,"eval_accuracy":0.4,"eval_seconds":1}
{"step":4,"epoch":1.0,"loss":0.5}
{"step":4,"epoch":1.0,"eval_loss":0.5,"eval_accuracy":0.9,"eval_seconds":1}
{"step":8,"epoch":2.0,"eval_loss":0.6,"eval_accuracy":0.8,"eval_seconds":1}
)";

TEST(LoggedEvaluations, AreThoseOfTheLogAfterTheStart) {
  const TemporaryFolder folder;
  cli::write(folder / "metrics.jsonl", kLog);
  const std::vector<LoggedEvaluation> found = logged_evaluations(folder.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].step, 4);
  EXPECT_EQ(found[0].epoch, 1);
  EXPECT_EQ(found[0].scores, (Scores{{"accuracy", 0.9}, {"loss", 0.5}}));
  EXPECT_TRUE(logged_evaluations(folder / "nothing").empty());
}

TEST(DecidingEvaluation, IsTheLastOneOrTheBest) {
  const std::vector<LoggedEvaluation> all = {{4, 1, {{"accuracy", 0.9}}}, {8, 2, {{"accuracy", 0.8}}}};
  EXPECT_EQ(deciding_evaluation(all, {.name = "accuracy"})->step, 8);
  EXPECT_EQ(deciding_evaluation(all, {.name = "accuracy", .best_of_run = true})->step, 4);
  EXPECT_EQ(deciding_evaluation(all, {.name = "accuracy", .greater_is_better = false, .best_of_run = true})->step, 8);
  EXPECT_FALSE(deciding_evaluation({}, {.name = "accuracy"}));
}

}  // namespace
}  // namespace portatune::run
