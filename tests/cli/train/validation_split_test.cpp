// portatune fit --validation-split: measures on a part of the training rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/toy.h"

namespace portatune::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Without --validation.
Words fit_split(const Toy& toy, const Words& more) {
  Words words = toy.fit();
  const auto validation = std::ranges::find(words, "--validation");
  words.erase(validation, validation + 2);
  return words + more;
}

TEST(ValidationSplit, MeasuresOnRowsThatAreNotTrainedOn) {
  const Toy toy;
  const Finished run = portatune(fit_split(toy, {"--epochs", "16", "--validation-split", "0.2", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto result = nlohmann::json::parse(run.out);
  EXPECT_EQ(result["train_examples"], 51);  // of 64: 12.8, rounded up, are held out
  EXPECT_GT(result["after"]["accuracy"], 0.9);
  EXPECT_THAT(run.err, Not(HasSubstr("no --validation")));
}

// Of 6 rows of one class and 58 of the other, one and six are held out, never none: the AUC is defined.
TEST(ValidationSplit, HoldsOutSomeOfEachClass) {
  for (const char* seed : {"1", "2", "3"}) {
    const Toy toy;
    std::string rows = "text,label\n";
    for (int i = 0; i < 64; ++i) rows += i % 11 == 5 ? "good film,1\n" : "bad film,0\n";
    write(toy.file("train.csv"), rows);
    const Finished run =
        portatune(fit_split(toy, {"--epochs", "1", "--validation-split", "0.1", "--seed", seed, "--json"}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(nlohmann::json::parse(run.out)["after"]["roc_auc"].is_number()) << run.out;
  }
}

TEST(ValidationSplit, SaysWhereAClassHasTooFewRows) {
  const Toy toy;
  write(toy.file("train.csv"), toy_csv(20) + "odd,2\n");
  const Finished run = portatune(fit_split(toy, {"--epochs", "1", "--validation-split", "0.2"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("held-out rows are chosen regardless of their class: one example of class '2'"));
}

TEST(ValidationSplit, StandsAlone) {
  const Toy toy;
  const Finished both = portatune(toy.fit({"--validation-split", "0.2"}));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--validation as well"));
  const Finished folds = portatune(fit_split(toy, {"--validation-split", "0.2", "--folds", "2"}));
  EXPECT_EQ(folds.exit_code, 2);
  EXPECT_THAT(folds.err, HasSubstr("--folds as well"));
  EXPECT_EQ(portatune(fit_split(toy, {"--validation-split", "1.5"})).exit_code, 2);
}

}  // namespace
}  // namespace portatune::cli
