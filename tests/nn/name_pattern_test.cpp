#include "portatune/nn/name_pattern.h"

#include <gtest/gtest.h>

namespace portatune::test {
namespace {

constexpr const char* kName = "bert.encoder.layer.11.output.dense.bias";

TEST(NamePattern, MatchesConsecutiveModules) {
  for (const char* pattern : {"bert", "encoder.layer", "output.dense", "dense.bias", kName}) {
    EXPECT_TRUE(nn::matches(kName, pattern)) << pattern;
  }
  for (const char* pattern : {"", "layer.output", "enc", "dense.weight", "bias.bert"}) {
    EXPECT_FALSE(nn::matches(kName, pattern)) << pattern;
  }
}

TEST(NamePattern, ARangeHasBothEnds) {
  for (const char* pattern : {"encoder.layer.11", "layer.0-11", "layer.11-12", "encoder.layer.11-11.output"}) {
    EXPECT_TRUE(nn::matches(kName, pattern)) << pattern;
  }
  for (const char* pattern : {"layer.1", "layer.0-10", "layer.12-11", "layer.-11", "layer.11-", "encoder.0-11"}) {
    EXPECT_FALSE(nn::matches(kName, pattern)) << pattern;
  }
}

}  // namespace
}  // namespace portatune::test
