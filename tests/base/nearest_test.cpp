#include <gtest/gtest.h>

#include "portatune/base/text/message.h"

namespace portatune {
namespace {

const std::vector<std::string> kNames = {"fit", "evaluate", "predict", "--epochs", "--seed"};

TEST(Nearest, InsertsDeletesReplacesAndSwaps) {
  EXPECT_EQ(nearest("evalute", kNames), "evaluate");
  EXPECT_EQ(nearest("predicts", kNames), "predict");
  EXPECT_EQ(nearest("fat", kNames), "fit");
  EXPECT_EQ(nearest("fti", kNames), "fit");
  EXPECT_EQ(nearest("--epcohs", kNames), "--epochs");
}

TEST(Nearest, HyphensAndCaseDoNotCount) {
  EXPECT_EQ(nearest("--batchsize", {"--batch-size"}), "--batch-size");
  EXPECT_EQ(nearest("Label_Column", {"label-column"}), "label-column");
}

TEST(Suggestion, NamesTheNearest) {
  EXPECT_EQ(suggestion(nearest("fti", kNames)), "did you mean fit?");
  EXPECT_EQ(suggestion(nearest("unknown", kNames)), "");
}

// Earlier rules proposed these names.
TEST(Nearest, AllowsEditsOfAQuarterOfTheWord) {
  EXPECT_EQ(nearest("--fsdp", {"--folds"}), "");
  EXPECT_EQ(nearest("--no-cuda", {"--no-flip"}), "");
  EXPECT_EQ(nearest("--tf32", {"--task"}), "");
  EXPECT_EQ(nearest("--optim", {"--option"}), "");
  EXPECT_EQ(nearest("--block-size", {"--batch-size"}), "");
  EXPECT_EQ(nearest("recipes", {"devices"}), "");
  EXPECT_EQ(nearest("cuda:rtx4090", {"cuda:l4"}), "");
}

TEST(Nearest, DistantNamesHaveNoMatch) {
  EXPECT_EQ(nearest("serve", kNames), "");
  EXPECT_EQ(nearest("--learning-rate", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), "");
  EXPECT_EQ(nearest("fit", {}), "");
}

}  // namespace
}  // namespace portatune
