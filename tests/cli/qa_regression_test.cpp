// The task of examples/qa_regression.cpp, which is outside of the library. tests/data/quest is a model of it;
// expected.json is by transformers and torch (tests/oracle/make_quest_case.py).
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
  const std::vector<json> matched = json_lines(portatune(words + Words{"--option", "match-ranks=true"}).out);
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
                                "--output",
                                folder / "tuned",
                                "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(json::parse(run.out)["after"]["spearman"], 0.5);
  EXPECT_EQ(read(folder / "tuned/ratings.json"), read(kQuest + "/model/ratings.json"));
}

TEST(QaRegression, RefusesOptionsThatItDoesNotHave) {
  const Words words = Words{"evaluate", "--data", kQuest + "/rows.csv"} + kModel;
  const Finished unknown = portatune(words + Words{"--option", "drop=0.1"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'drop'"));
  EXPECT_THAT(unknown.err, HasSubstr("dropout, match-ranks"));
  const Finished not_a_number = portatune(words + Words{"--option", "dropout=much"});
  EXPECT_EQ(not_a_number.exit_code, 2);
  EXPECT_THAT(not_a_number.err, HasSubstr("a number"));
  const Finished of_another_task = portatune({"evaluate", "--model", PORTATUNE_TEST_DATA "/export_softmax", "--data",
                                            kQuest + "/rows.csv", "--option", "dropout=0.1"});
  EXPECT_EQ(of_another_task.exit_code, 2);
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
