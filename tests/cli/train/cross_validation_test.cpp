// portatune fit --folds, by the real command.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Rows with a group: the thing that they speak of.
std::string grouped_csv(int count) {
  std::istringstream rows(toy_csv(count));
  std::string text, line;
  std::getline(rows, line);
  text = line + ",group\n";
  while (std::getline(rows, line)) text += line + "," + line.substr(4, line.find(' ', 4) - 4) + "\n";
  return text;
}

class CrossValidation : public testing::Test {
 protected:
  CrossValidation() {
    write(folder_ / "train.csv", grouped_csv(60));
    write(folder_ / "test.csv", toy_csv(13));
  }
  std::string output() const { return folder_ / "tuned"; }
  Words fit(const Words& more) const {
    return Words{"fit",
                 "--model",
                 tiny_bert(),
                 "--train",
                 folder_ / "train.csv",
                 "--test",
                 folder_ / "test.csv",
                 "--output",
                 output(),
                 "--max-length",
                 "16",
                 "--batch-size",
                 "16",
                 "--learning-rate",
                 "1e-2",
                 "--epochs",
                 "12"} +
           more;
  }
  Words fit_from(const std::string& model, const Words& more) const {
    Words words = fit(more);
    *(std::ranges::find(words, "--model") + 1) = model;
    return words;
  }
  std::vector<json> lines_in(const std::string& name) const { return json_lines(read(output() + "/" + name)); }

  const TemporaryFolder folder_;
};

TEST_F(CrossValidation, PredictsEveryRowByAModelThatHasNotSeenIt) {
  const Finished run = portatune(fit({"--folds", "3", "--group-column", "group", "--steps-per-epoch", "8", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["folds"].size(), 3u);
  EXPECT_GT(result["out_of_fold"]["accuracy"], 0.9);
  EXPECT_THAT(names_in(output()),
              ElementsAre("cross_validation.json", "fold-1", "fold-2", "fold-3", "out_of_fold.jsonl", "test.jsonl"));

  // Of five groups with 12 rows each the folds get two, two and one: 24, 24, 12 rows.
  EXPECT_THAT(run.err, HasSubstr("train.csv: 36 rows"));
  EXPECT_THAT(run.err, HasSubstr("train.csv: 48 rows"));
  const std::vector<json> lines = lines_in("out_of_fold.jsonl");
  ASSERT_EQ(lines.size(), 60u);
  int right = 0;
  for (size_t row = 0; row < lines.size(); ++row) right += lines[row]["label"] == (row % 2 == 1 ? "1" : "0");
  EXPECT_EQ(right / 60.0, result["out_of_fold"]["accuracy"]);  // so they are in the order of the rows
}

// Three rows of the one class in thirty: drawn at random, each fold would seldom get one.
TEST_F(CrossValidation, EachFoldHasItsShareOfEachClass) {
  std::string rows = "text,label\n";
  for (int i = 0; i < 30; ++i) rows += i % 10 == 0 ? "good film,1\n" : "bad film,0\n";
  write(folder_ / "rare.csv", rows);
  for (const char* seed : {"1", "2", "3"}) {
    const Finished run =
        portatune({"fit", "--model", tiny_bert(), "--train", folder_ / "rare.csv", "--output", output(), "--max-length",
                   "8", "--epochs", "1", "--folds", "3", "--seed", seed, "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    for (const json& fold : json::parse(run.out)["folds"]) EXPECT_TRUE(fold["AUC"].is_number()) << fold;
    std::filesystem::remove_all(output());
  }
}

TEST_F(CrossValidation, TestRowsGetTheMeanOfTheLogitsOfAllModels) {
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  const std::vector<json> mean = lines_in("test.jsonl");
  ASSERT_EQ(mean.size(), 13u);
  std::vector<double> sums(13);
  for (const char* fold : {"fold-1", "fold-2"}) {
    const Finished run =
        portatune({"predict", "--model", output() + "/" + fold, "--data", folder_ / "test.csv", "--max-length", "16"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream stream(run.out);
    for (double& sum : sums) {
      std::string line;
      std::getline(stream, line);
      sum += json::parse(line)["logits"][1].get<double>();
    }
  }
  for (size_t row = 0; row < 13; ++row) EXPECT_NEAR(mean[row]["logits"][1].get<double>(), sums[row] / 2, 1e-5);
}

TEST_F(CrossValidation, GoesOnWithTheFoldThatWasInterrupted) {
  const Words words = fit({"--folds", "2", "--steps-per-epoch", "40", "--checkpoint-every", "20"}) +
                      Words{"--max-concurrent-runs", "1"};
  Program program(words);
  ASSERT_TRUE(program.says("fold 2 of 2"));
  ASSERT_TRUE(program.makes(output() + "/fold-2", "checkpoint-"));
  program.signal(SIGINT);
  const Finished stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  const size_t place = stopped.err.find("portatune fit");
  ASSERT_NE(place, std::string::npos) << stopped.err;
  const Finished resumed = portatune_by_shell(stopped.err.substr(place, stopped.err.find('\n', place) - place));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("fold 1 of 2: trained by an earlier run"));
  EXPECT_THAT(resumed.err, HasSubstr("resuming from"));
  for (const char* fold : {"/fold-1", "/fold-2"}) {
    EXPECT_THAT(names_in(output() + fold), Not(Contains(StartsWith("checkpoint-"))));
  }
  EXPECT_EQ(lines_in("out_of_fold.jsonl").size(), 60u);
}

// The state after a crash on a file system that cannot exchange two names: the fold is moved aside, and its model
// has not replaced it yet.
TEST_F(CrossValidation, PutsAFoldBackThatADeadRunHasMovedAside) {
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  const std::filesystem::path fold = output() + "/fold-2", aside = output() + "/old.fold-2.0123456789abcdef";
  std::filesystem::rename(fold, aside);
  std::filesystem::create_directory(output() + "/tmp.fold-2.0123456789abcdef");
  const Finished resumed = portatune(fit({"--folds", "2", "--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("fold 2 of 2: trained by an earlier run"));
  EXPECT_THAT(names_in(output()),
              ElementsAre("cross_validation.json", "fold-1", "fold-2", "out_of_fold.jsonl", "test.jsonl"));
}

TEST_F(CrossValidation, RemovesTemporaryFilesOfADeadRunFromItsFolds) {
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  const std::vector<std::string> before = names_in(output() + "/fold-1");
  write(output() + "/fold-1/tmp.report.json.0123456789abcdef", "{");
  ASSERT_EQ(portatune(fit({"--folds", "2", "--resume", "--quiet"})).exit_code, 0);
  EXPECT_EQ(names_in(output() + "/fold-1"), before);
}

TEST_F(CrossValidation, BeginsInAFolderOfADeadRunThatHasNoFoldYet) {
  std::filesystem::create_directory(output());
  write(output() + "/tmp.cross_validation.json.0123456789abcdef", "{");
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  EXPECT_THAT(names_in(output()), Not(Contains(StartsWith("tmp."))));
}

TEST_F(CrossValidation, IsNotResumedWithOtherOptions) {
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  const std::string before = read(output() + "/out_of_fold.jsonl");
  for (const Words& more : {Words{"--folds", "3"}, Words{"--folds", "2", "--seed", "9"},
                            Words{"--folds", "2", "--group-column", "group"}}) {
    const Finished run = portatune(fit(more + Words{"--resume"}));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("as in the run that it continues"));
  }
  EXPECT_EQ(read(output() + "/out_of_fold.jsonl"), before);
  EXPECT_EQ(portatune(fit({"--folds", "2", "--resume"})).exit_code, 0);
  EXPECT_EQ(read(output() + "/out_of_fold.jsonl"), before);
}

TEST_F(CrossValidation, ReplacesAnEarlierOneOnlyIfItIsToBeOverwritten) {
  ASSERT_EQ(portatune(fit({"--folds", "3", "--quiet"})).exit_code, 0);
  const std::string before = read(output() + "/out_of_fold.jsonl");
  const Finished refused = portatune(fit({"--folds", "2", "--seed", "9"}));
  EXPECT_EQ(refused.exit_code, 73) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("--overwrite-output"));
  EXPECT_EQ(read(output() + "/out_of_fold.jsonl"), before);
  const Finished run = portatune(fit({"--folds", "2", "--seed", "9", "--overwrite-output"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(read(output() + "/out_of_fold.jsonl"), before);
  EXPECT_THAT(names_in(output()),
              ElementsAre("cross_validation.json", "fold-1", "fold-2", "out_of_fold.jsonl", "test.jsonl"));
}

TEST_F(CrossValidation, OverwritesNoModelThatItStartsFrom) {
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  const Finished run = portatune(fit_from(output() + "/fold-1", {"--folds", "2", "--overwrite-output"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("which would be removed"));
  EXPECT_TRUE(std::filesystem::exists(output() + "/fold-1/config.json"));
}

TEST_F(CrossValidation, IsResumedAfterTheModelHasMoved) {
  const std::string name = std::filesystem::path(tiny_bert()).filename(), moved = folder_ / ("elsewhere/" + name);
  std::filesystem::create_directory(folder_ / "elsewhere");
  std::filesystem::copy(tiny_bert(), moved);
  ASSERT_EQ(portatune(fit({"--folds", "2", "--quiet"})).exit_code, 0);
  EXPECT_EQ(portatune(fit_from(moved, {"--folds", "2", "--resume"})).exit_code, 0);
  // Earlier versions have saved the path.
  const std::string facts = output() + "/cross_validation.json";
  json saved = json::parse(read(facts));
  EXPECT_EQ(saved["facts"]["model"], name);
  saved["facts"]["model"] = tiny_bert();
  write(facts, saved.dump());
  const Finished run = portatune(fit_from(moved, {"--folds", "2", "--resume"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(CrossValidation, DoesNotResumeInAFolderOfSomethingElse) {
  std::filesystem::create_directory(output());
  write(output() + "/test.jsonl", "mine");
  EXPECT_EQ(portatune(fit({"--folds", "2", "--resume"})).exit_code, 73);
  EXPECT_EQ(read(output() + "/test.jsonl"), "mine");
}

TEST_F(CrossValidation, LeavesWhatIsInTheWayAlone) {
  write(folder_ / "kept.txt", "kept");
  std::filesystem::create_directory(output());
  std::filesystem::copy(folder_ / "kept.txt", output() + "/kept.txt");
  const Finished run = portatune(fit({"--folds", "2"}));
  EXPECT_EQ(run.exit_code, 73);
  EXPECT_THAT(run.err, HasSubstr("a folder that is not empty"));
  EXPECT_THAT(names_in(output()), ElementsAre("kept.txt"));
}

TEST_F(CrossValidation, RefusesWhatDoesNotFit) {
  const auto error_of = [&](const Words& more) {
    const Finished run = portatune(fit(more));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(error_of({"--folds", "7", "--group-column", "group"}), HasSubstr("2 to 5, the number of groups"));
  EXPECT_THAT(error_of({"--folds", "2", "--validation", folder_ / "test.csv"}), HasSubstr("--validation"));
  EXPECT_THAT(error_of({}), HasSubstr("--test"));  // without --folds
  EXPECT_TRUE(names_in(output()).empty());
}

}  // namespace
}  // namespace portatune::cli
