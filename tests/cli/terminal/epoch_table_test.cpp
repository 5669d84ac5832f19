#include "portatune/cli/terminal/epoch_table.h"

#include <gmock/gmock.h>

namespace portatune::cli {
namespace {

using testing::ElementsAre;

const Scores kScores{
    {"loss", 0.4213}, {"accuracy", 0.8269}, {"f1", 0.8247}, {"matthews_correlation", 0.654}, {"roc_auc", 0.8946}};

TEST(EpochTable, HasTheScoresOfTextClassificationOnATerminalOf80Columns) {
  EpochTable table(3);
  EXPECT_THAT(table.lines({1, 264, 178, 0.5587, kScores}, 78),
              ElementsAre("epoch      step  time  train loss  eval loss  accuracy      F1     MCC     AUC",
                          "epoch 1/3   264  2:58      0.5587     0.4213    0.8269  0.8247  0.6540  0.8946"));
}

TEST(EpochTable, RepeatsTheHeadForOtherColumnsOnly) {
  EpochTable table(3);
  EXPECT_EQ(table.lines({1, 264, 178, 0.5587, kScores}, 80).size(), 2);
  EXPECT_EQ(
      table
          .lines({2,
                  528,
                  356,
                  0.3587,
                  {{"loss", 0.4}, {"accuracy", 0.8}, {"f1", 0.1}, {"matthews_correlation", -0.125}, {"roc_auc", 0.8}}},
                 80)
          .size(),
      1);
  EXPECT_EQ(table.lines({3, 792, 534, 0.2587, {}}, 80).size(), 1);
  EXPECT_EQ(table.lines({3, 792, 534, 0.2587, {{"loss", 0.4}, {"f1", 0.2}}}, 80).size(), 2);
}

TEST(EpochTable, AnEvaluationWithinAnEpochHasNoTrainingLoss) {
  EpochTable table(3);
  EXPECT_EQ(table.lines({1.14, 300, 200, std::nullopt, {{"loss", 0.5}}}, 80).back(),
            "1.14        300  3:20           -     0.5000");
}

TEST(EpochTable, LeavesOutTheLastColumnsWhereTheyDoNotFit) {
  for (int columns = 9; columns <= 100; ++columns) {
    EpochTable table(3);
    for (const std::string& line : table.lines({1, 264, 178, 0.5587, kScores}, columns)) {
      EXPECT_LE(static_cast<int>(line.size()), columns);
    }
  }
  EpochTable table(3);
  EXPECT_EQ(table.lines({1, 264, 178, 0.5587, kScores}, 40).back(), "epoch 1/3   264  2:58      0.5587");
}

}  // namespace
}  // namespace portatune::cli
