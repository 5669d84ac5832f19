#include "portatune/base/nearest.h"

#include <gtest/gtest.h>

namespace portatune {
namespace {

const std::vector<std::string> kNames = {"fit", "evaluate", "predict", "--epochs", "--seed"};

TEST(Nearest, InsertsDeletesReplacesAndSwaps) {
  EXPECT_EQ(nearest("evalute", kNames), "evaluate");
  EXPECT_EQ(nearest("predicts", kNames), "predict");
  EXPECT_EQ(nearest("fat", kNames), "fit");
  EXPECT_EQ(nearest("fti", kNames), "fit");
  EXPECT_EQ(nearest("--ephocs", kNames), "--epochs");
}

TEST(Nearest, WhatIsFarFromAllHasNone) {
  EXPECT_EQ(nearest("serve", kNames), "");
  EXPECT_EQ(nearest("--learning-rate", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), "");
  EXPECT_EQ(nearest("fit", {}), "");
}

}  // namespace
}  // namespace portatune
