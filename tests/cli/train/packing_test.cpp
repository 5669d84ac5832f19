// --packing: packed training learns the same as padded training, can be resumed, and reports its choices.
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
using testing::Not;

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
  EXPECT_THAT(run.err, HasSubstr("packing 16 examples into 8 rows of 32: 31.2 % padding; one text per row: 65.6 %"));
}

TEST(Packing, ATokenBudgetLearnsTheToyTask) {
  const Toy toy;
  const Finished run =
      portatune(packed(toy, "token_budget", {"--tokens-per-batch", "256", "--epochs", "10", "--json"}));
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
  const json padded = result_of({"--packing", "none"}), packed = result_of({"--packing", "exact_examples"});
  EXPECT_NEAR(packed["train_loss"], padded["train_loss"], 1e-4);
  EXPECT_NEAR(packed["after"]["loss"], padded["after"]["loss"], 1e-4);
}

// Texts of 3 to 11 tokens.
std::string uneven_csv() {
  std::string text = "text,label\n";
  for (int i = 0; i < 64; ++i)
    text += (i % 4 == 0 ? "the film was bad the film was bad," : "good,") + std::to_string(i % 2) + "\n";
  return text;
}

TEST(Packing, IsTheDefaultOfTasksThatSupportIt) {
  const Toy toy;
  write(toy.file("train.csv"), uneven_csv());
  const Finished run = portatune(fit(toy, {"--max-steps", "2"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("packing 16 examples into "));
}

TEST(Packing, PaddingWithoutPackingOrNoneTurnsItOff) {
  const Toy toy;
  write(toy.file("train.csv"), uneven_csv());
  for (const Words& words : {Words{"--padding", "max_length"}, Words{"--packing", "none"}}) {
    const Finished run = portatune(fit(toy, Words{"--max-steps", "2", "--json"} + words));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("packing")));
    std::filesystem::remove_all(toy.output());
  }
}

// One row of 32 positions for two texts of 3 tokens is worse than two rows of 11, the longest validation row.
TEST(Packing, TheDefaultPadsWherePaddingIsCheaper) {
  const Toy toy;
  write(toy.file("train.csv"), "text,label\ngood,1\nbad,0\ngood,1\nbad,0\n");
  const Finished run = portatune(with_batch_size(fit(toy, {"--max-steps", "2"}), "2"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("packing")));
  EXPECT_THAT(run.err, HasSubstr("batches of 11 tokens"));
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
