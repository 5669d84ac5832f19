// The task of examples/qa_regression.cpp, which is outside of the library. tests/data/quest is a model of it;
// expected.json is by transformers and torch (tests/oracle/tasks/make_quest_case.py).
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kQuest = PORTATUNE_TEST_DATA "/quest";
const Words kModel = {"--model", kQuest + "/model", "--max-length", "24"};

TEST(QaRegression, RatesAsTorchDoes) {
  const Finished run = portatune(Words{"predict", "--data", kQuest + "/rows.csv", "--batch-size", "4"} + kModel);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> found = json_lines(run.out);
  const json expected = json::parse(read(kQuest + "/expected.json"))["ratings"];
  ASSERT_EQ(found.size(), expected.size());
  for (size_t row = 0; row < found.size(); ++row) {
    ASSERT_EQ(found[row].size(), 31u);
    EXPECT_EQ(found[row]["row"], row);
    for (const auto& [target, rating] : expected[row].items()) {
      EXPECT_NEAR(found[row][target].get<double>(), rating.get<double>(), 2e-6) << "row " << row << " " << target;
    }
  }
}

TEST(QaRegression, CorrelationIsThatOfScipy) {
  const Finished run = portatune(Words{"evaluate", "--data", kQuest + "/rows.csv", "--json"} + kModel);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(json::parse(run.out)["spearman"], json::parse(read(kQuest + "/expected.json"))["spearman"], 1e-6);
}

// As many of each rating as among the 32 of the training set, up to what 10 rows can have; order kept.
TEST(QaRegression, RanksAreMatchedToTheRatingsOfTheTrainingSet) {
  const Words words = Words{"predict", "--data", kQuest + "/rows.csv"} + kModel;
  const std::vector<json> raw = json_lines(portatune(words).out);
  const std::vector<json> matched = json_lines(portatune(words + Words{"--match-ranks"}).out);
  ASSERT_EQ(matched.size(), 10u);
  const std::string target = "answer_helpful";
  std::multiset<double> ratings;
  for (size_t i = 0; i < matched.size(); ++i) {
    ratings.insert(matched[i][target].get<double>());
    for (size_t j = 0; j < matched.size(); ++j) {
      if (raw[i][target] < raw[j][target]) {
        EXPECT_LE(matched[i][target], matched[j][target]);
      }
    }
  }
  // The sorted ratings of the training set at (2 i + 1) / 20 of their length.
  std::vector<double> stored = json::parse(read(kQuest + "/model/ratings.json"))[target];
  std::multiset<double> wanted;
  for (size_t i = 0; i < 10; ++i) wanted.insert(std::round(stored[(2 * i + 1) * stored.size() / 20] * 1e6) / 1e6);
  EXPECT_EQ(ratings, wanted);
}

TEST(QaRegression, LearnsAndSavesWhatItNeeds) {
  const TemporaryFolder folder;
  const Finished run = portatune({"fit",
                                  "--task",
                                  "qa-regression",
                                  "--model",
                                  tiny_bert(),
                                  "--train",
                                  kQuest + "/train.csv",
                                  "--validation",
                                  kQuest + "/rows.csv",
                                  "--max-length",
                                  "24",
                                  "--batch-size",
                                  "16",
                                  "--learning-rate",
                                  "1e-2",
                                  "--max-steps",
                                  "40",
                                  "--dropout",
                                  "0.05",
                                  "--match-ranks",
                                  "--output",
                                  folder / "tuned",
                                  "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(json::parse(run.out)["after"]["spearman"], 0.5);
  EXPECT_EQ(read(folder / "tuned/ratings.json"), read(kQuest + "/model/ratings.json"));
  EXPECT_EQ(json::parse(read(folder / "tuned/portatune.json")),
            json({{"task", "qa-regression"}, {"max_length", 24}, {"match_ranks", true}}));
  EXPECT_EQ(json::parse(read(folder / "tuned/training_args.json"))["options"]["dropout"], 0.05);
}

TEST(QaRegression, SkipsRowsWithoutRatings) {
  const TemporaryFolder folder;
  std::string rows = read(kQuest + "/train.csv");
  rows += rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
  rows.insert(rows.size() - 2, "?");  // the last rating, before CR LF
  write(folder / "train.csv", rows);
  const Words words = {
      "fit",          "--task", "qa-regression", "--model", tiny_bert(), "--train",       folder / "train.csv",
      "--max-length", "24",     "--max-steps",   "1",       "--output",  folder / "tuned"};
  EXPECT_THAT(portatune(words).err, HasSubstr("a rating between 0 and 1"));
  const Finished run = portatune(words + Words{"--bad-rows", "skip:1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read(folder / "tuned/ratings.json"), read(kQuest + "/model/ratings.json"));
}

// As those of the library's tasks.
TEST(QaRegression, HasOptionsInHelpRecipesAndErrors) {
  const Finished help = portatune({"fit", "--help", "--task", "qa-regression"});
  EXPECT_THAT(help.out,
              testing::AllOf(HasSubstr("\nQa regression\n  --dropout N            dropout before each head [0.1]"),
                             HasSubstr("--match-ranks"), HasSubstr("--max-length"), HasSubstr("--padding"),
                             testing::Not(HasSubstr("--packing"))));
  EXPECT_THAT(portatune({"predict", "--help-all"}).out, testing::Not(HasSubstr("--dropout")));

  const Words words = Words{"predict", "--data", kQuest + "/rows.csv"} + kModel;
  const TemporaryFolder folder;
  write(folder / "ranks.yaml", "match_ranks: true\n");
  EXPECT_EQ(portatune(words + Words{"--recipe", folder / "ranks.yaml"}).out,
            portatune(words + Words{"--match-ranks"}).out);

  const Finished out_of_range = portatune({"fit", "--task", "qa-regression", "--model", tiny_bert(), "--train",
                                           kQuest + "/train.csv", "--output", folder / "o", "--dropout", "1"});
  EXPECT_EQ(out_of_range.exit_code, 2);
  EXPECT_THAT(out_of_range.err, HasSubstr("a number of at least 0 and below 1"));
  const Finished unknown = portatune(words + Words{"--match-rank"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean --match-ranks?"));
  const Finished of_another_task = portatune(
      {"evaluate", "--model", PORTATUNE_TEST_DATA "/export_softmax", "--data", kQuest + "/rows.csv", "--match-ranks"});
  EXPECT_EQ(of_another_task.exit_code, 2);
  EXPECT_THAT(of_another_task.err, HasSubstr("this one belongs to qa-regression"));
}

TEST(QaRegression, NamesTheRowOfABadRating) {
  const TemporaryFolder folder;
  std::string rows = read(kQuest + "/rows.csv");
  const size_t last = rows.find_last_of(',');
  write(folder / "bad.csv", rows.substr(0, last) + ",1.5\n");
  const Finished run = portatune(Words{"evaluate", "--data", folder / "bad.csv"} + kModel);
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("bad.csv:11"));
  EXPECT_THAT(run.err, HasSubstr("a rating between 0 and 1"));
}

TEST(QaRegression, AModelWithoutRatingsIsRefused) {
  const Finished run = portatune({"evaluate", "--task", "qa-regression", "--model", tiny_bert(), "--data",
                                  kQuest + "/rows.csv", "--max-length", "24"});
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, HasSubstr("ratings.json"));
}

}  // namespace
}  // namespace portatune::cli
