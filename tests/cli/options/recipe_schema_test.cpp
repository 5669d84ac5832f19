// tests/tools/recipe_schema_test.py validates recipes by the schema.
#include "portatune/cli/options/recipes/recipe_schema.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "io/table_file.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json schema() { return json::parse(std::get<Text>(parse({"recipes", "--schema"})).text); }

TEST(RecipeSchema, HasTypesRangesAndWords) {
  const json properties = schema()["properties"];
  EXPECT_EQ(properties["batch_size"]["type"], "integer");
  EXPECT_EQ(properties["batch_size"]["minimum"], 1);
  EXPECT_EQ(properties["adam_beta1"]["exclusiveMaximum"], 1);
  EXPECT_EQ(properties["resume"]["type"], "boolean");
  EXPECT_THAT(properties["dtype"]["enum"], testing::Contains("bf16"));
  EXPECT_THAT(properties["task"]["enum"], testing::Contains("question-answering"));
  EXPECT_EQ(properties["train"]["anyOf"][1]["type"], "array");
  EXPECT_THAT(properties["doc_stride"]["description"], HasSubstr("(task: question-answering)"));
  EXPECT_FALSE(properties.contains("recipe"));
}

TEST(RecipeSchema, KnowsTheRangeOfEachNumberOfFit) {
  const json all = schema()["properties"];
  std::vector<std::string> without_range;
  for (const auto& [key, property] : all.items()) {
    const bool is_number = property.value("type", json()) == "number" || property.value("type", json()) == "integer";
    if (is_number && !property.contains("minimum") && !property.contains("exclusiveMinimum")) {
      without_range.push_back(key);
    }
  }
  // Options of evaluate, bench, bench-input, plan, parity and sweep alone, and those whose numbers have no lower limit.
  EXPECT_THAT(without_range, testing::UnorderedElementsAre("steps", "warmup", "seconds", "time_limit", "every", "seeds",
                                                           "random", "halving_factor", "max_predict_samples"));
}

TEST(RecipeSchema, KnowsOtherNames) {
  const json patterns = schema()["patternProperties"];
  EXPECT_THAT(patterns.dump(), HasSubstr("num[_-]train[_-]epochs"));
  EXPECT_THAT(patterns.dump(), HasSubstr("bf16"));
}

TEST(RecipeSchema, KnowsNamesWithoutEffectAndTheirValues) {
  const json patterns = schema()["patternProperties"];
  EXPECT_THAT(patterns["^(report[_-]to)$"]["enum"], testing::Contains("none"));
  EXPECT_FALSE(patterns["^(dataloader[_-]num[_-]workers)$"].contains("enum"));
  EXPECT_THAT(patterns["^(torch[_-]compile)"]["enum"], testing::Contains(true));
}

TEST(RecipeSchema, MayBeOfOneCommand) {
  const auto properties_of = [](const std::string& command) {
    return json::parse(std::get<Text>(parse({"recipes", "--schema", "--command", command})).text)["properties"];
  };
  EXPECT_TRUE(properties_of("fit").contains("learning_rate"));
  EXPECT_FALSE(properties_of("predict").contains("learning_rate"));
  EXPECT_EQ(properties_of("tokenizer train")["vocab_size"]["type"], "number");
  EXPECT_EQ(properties_of("predict")["text"]["anyOf"][1]["type"], "array");
}

TEST(RecipeSchema, OfAnUnknownCommandIsAnError) {
  expect_error<UsageError>(
      [] {
        parse({"recipes", "--schema", "--command", "train"});
      },
      {"unknown command train", "fit"});
}

TEST(RecipeSchema, RefusesOptionsOfOtherTasks) {
  const json rules = schema()["allOf"];
  for (const json& rule : rules) {
    const std::string task = rule["if"]["properties"]["task"]["const"];
    EXPECT_EQ(rule["then"]["properties"].contains("doc_stride"), task != "question-answering") << task;
    EXPECT_EQ(rule["then"]["patternProperties"].contains("^doc-stride$"), task != "question-answering") << task;
  }
}

}  // namespace
}  // namespace portatune::cli
