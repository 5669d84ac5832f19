#include "portatune/run/records/result_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace portatune::run {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

TEST(ResultJson, WhatIsNoNumberIsNull) {
  const Evaluation evaluation{.scores = {{"loss", kNoNumber}, {"accuracy", 0.5}}, .examples = 8, .seconds = 2};
  EXPECT_EQ(json_of({{.name = "", .evaluation = evaluation}}),
            "{\"loss\":null,\"accuracy\":0.5,\"examples\":8,\"seconds\":2.0,\"examples_per_second\":4.0}\n");
}

TEST(ResultJson, OfASweepHasNullForTheScoreOfAFailedTrial) {
  const SweepOutcome outcome{.metric = "accuracy",
                             .rows = {{.settings = {{"epochs", "3"}},
                                       .trials = {"trial-001"},
                                       .seeds = {42},
                                       .scores = {std::nullopt},
                                       .mean = kNoNumber}},
                             .failed = {{.name = "trial-001", .error = "too little memory"}},
                             .output = "out"};
  EXPECT_EQ(json_of(outcome),
            "{\"metric\":\"accuracy\",\"greater_is_better\":true,\"best\":\"\",\"rows\":[{\"settings\":"
            "{\"epochs\":\"3\"},\"trials\":[\"trial-001\"],\"seeds\":[42],\"scores\":[null],\"mean\":null,"
            "\"deviation\":0.0,\"steps\":0}],\"failed\":[{\"trial\":\"trial-001\",\"error\":"
            "\"too little memory\"}],\"output\":\"out\"}\n");
}

}  // namespace
}  // namespace portatune::run
