// --packing: training packed learns what training padded does, goes on after an interruption, and says what it does.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Rows of 32 places, texts of 11 tokens.
Words fit(const Toy& toy, const Words& more) {
  Words words = toy.fit(more);
  *std::next(std::ranges::find(words, "--max-length")) = "32";
  return words;
}

Words packed(const Toy& toy, const std::string& policy, const Words& more) {
  return fit(toy, Words{"--packing", policy} + more);
}

TEST(Packing, ExactExamplesLearnTheToyTaskInAsManySteps) {
  const Toy toy;
  const Finished run = portatune(packed(toy, "exact_examples", {"--epochs", "10", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["after"]["accuracy"], 0.95);
  EXPECT_EQ(result["steps"], 40);  // 64 rows in batches of 16, as without packing
  // Two texts in a row.
  EXPECT_THAT(run.err, HasSubstr("packing 16 examples into 8 rows of 32: 68.8 % of their places hold tokens; a text in "
                                 "a row: 34.4 %"));
}

TEST(Packing, ATokenBudgetLearnsTheToyTask) {
  const Toy toy;
  const Finished run = portatune(packed(toy, "token_budget", {"--tokens-per-batch", "256", "--epochs", "10", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["after"]["accuracy"], 0.95);
  EXPECT_EQ(result["steps"], 40);  // 16 examples fill 8 rows
  EXPECT_THAT(run.err, HasSubstr("packing about 16 examples into 8 rows of 32"));
}

TEST(Packing, WithoutDropoutTrainsToTheWeightsThatPaddingDoes) {
  const Toy toy;
  const auto result_of = [&](const Words& more) {
    return json::parse(toy.result_without_dropout(fit(toy, Words{"--epochs", "2"} + more)));
  };
  const json padded = result_of({}), packed = result_of({"--packing", "exact_examples"});
  EXPECT_NEAR(packed["train_loss"], padded["train_loss"], 1e-4);
  EXPECT_NEAR(packed["after"]["loss"], padded["after"]["loss"], 1e-4);
}

TEST(Packing, ResumingWithAnotherPolicyIsRefused) {
  const Toy toy;
  Program first(packed(toy, "exact_examples", {"--epochs", "400"}));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, 75);
  const Finished run = portatune(packed(toy, "token_budget", {"--epochs", "400", "--resume"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("packing"));
}

TEST(Packing, RefusesWhatMakesNoSense) {
  const Toy toy;
  const Finished alone = portatune(toy.fit({"--tokens-per-batch", "256"}));
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("token_budget"));
  const Finished image = portatune({"fit", "--task", "image-classification", "--model", tiny_bert(), "--train",
                                  toy.file("train.csv"), "--output", toy.output(), "--packing", "exact_examples"});
  EXPECT_EQ(image.exit_code, 2);
  EXPECT_THAT(image.err, HasSubstr("--packing with --task image-classification"));
}

}  // namespace
}  // namespace portatune::cli
