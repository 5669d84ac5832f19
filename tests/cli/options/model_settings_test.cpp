// portatune.json: evaluate and predict read rows as fit did.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ModelSettings : public testing::Test {
 protected:
  ModelSettings() {
    write(toy_.file("train.csv"), "sentence,class\n" + toy_csv(24).substr(11));
    const Finished run = portatune({"fit", "--model", tiny_bert(), "--train", toy_.file("train.csv"), "--text-column",
                                    "sentence", "--label-column", "class", "--max-length", "6", "--epochs", "1",
                                    "--output", toy_.output(), "--batch-size", "8", "--learning-rate", "1e-2"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }

  std::string settings() const { return toy_.output() + "/portatune.json"; }
  Finished evaluate(const Words& more = {}) const {
    return portatune(Words{"evaluate", "--model", toy_.output(), "--data", toy_.file("train.csv"), "--json"} + more);
  }

  const Toy toy_;
};

TEST_F(ModelSettings, EvaluateAndPredictUseThoseOfTheTraining) {
  EXPECT_EQ(json::parse(read(settings())), json({{"task", "text-classification"},
                                                 {"max_length", 6},
                                                 {"text_column", "sentence"},
                                                 {"label_column", "class"}}));
  const Finished kept = evaluate();
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(unwrapped(kept.err), HasSubstr("--task=text-classification --max-length=6 --text-column=sentence "
                                             "--label-column=class\n"));
  EXPECT_EQ(scores_in(kept.out), scores_in(evaluate({"--max-length", "6"}).out));
  EXPECT_NE(scores_in(kept.out), scores_in(evaluate({"--max-length", "20"}).out));

  const Finished predicted = portatune({"predict", "--model", toy_.output(), "--data", toy_.file("train.csv")});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(json_lines(predicted.out).size(), 24u);
}

TEST_F(ModelSettings, OptionsAndRecipesCountMore) {
  write(toy_.file("dev.csv"), toy_csv(5));
  write(toy_.file("columns.yaml"), "text_column: text\n");
  const Finished run = portatune({"evaluate", "--model", toy_.output(), "--data", toy_.file("dev.csv"), "--recipe",
                                  toy_.file("columns.yaml"), "--label_column", "label"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--max-length=6"));
  EXPECT_THAT(run.err, Not(HasSubstr("sentence")));
}

TEST_F(ModelSettings, AreInCheckpointsToo) {
  const std::string output = toy_.file("long");
  Program run({"fit", "--model", tiny_bert(), "--train", toy_.file("train.csv"), "--text-column", "sentence",
               "--label-column", "class", "--max-length", "6", "--epochs", "4000", "--output", output});
  ASSERT_TRUE(run.says("epoch 2/"));
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 75);
  EXPECT_EQ(read(output + "/" + names_in(output).at(0) + "/portatune.json"), read(settings()));
}

TEST_F(ModelSettings, WhatIsWrongWithThemIsToldWithTheLine) {
  const auto expect_refused = [&](const std::string& text, const std::string& place, const std::string& given) {
    write(settings(), text);
    const Finished run = evaluate();
    EXPECT_EQ(run.exit_code, 65) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("portatune.json" + place), HasSubstr(given)));
  };
  expect_refused("{\n  \"max_length\": 6,\n  \"max_lenght\": 6\n}\n", ":3", "unknown setting \"max_lenght\"");
  expect_refused("{\"plugin\": \"stranger.so\"}", ":1", "unknown setting \"plugin\"");
  expect_refused("{\n  \"max_length\": {}\n}\n", ":2", "\"max_length\" with {}");
  expect_refused("{\"max_length\": 6", "", "given");
}

}  // namespace
}  // namespace portatune::cli
