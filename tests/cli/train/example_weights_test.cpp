// Weights of training rows.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Eight rows whose weights add up to 8: the third counts twice, the sixth not at all.
class ExampleWeights : public testing::Test {
 protected:
  ExampleWeights() {
    std::istringstream lines(toy_csv(8));
    std::string line, weighted, repeated;
    for (int row = 0; std::getline(lines, line); ++row) {
      weighted += line + (row == 0 ? ",example_weight" : row == 3 ? ",2" : row == 6 ? ",0" : ",1.0") + "\n";
      for (int times = row == 3 ? 2 : row == 6 ? 0 : 1; times > 0; --times) repeated += line + "\n";
    }
    write(toy_.file("weighted.csv"), weighted);
    write(toy_.file("repeated.csv"), repeated);
  }

  Words fit(const std::string& train, const Words& more) const {
    Words words = with_batch_size(toy_.fit(Words{"--max-steps", "3"} + more), "8");
    *std::ranges::find(words, toy_.file("train.csv")) = toy_.file(train);
    return words;
  }
  json result(const std::string& train, const Words& more) const {
    return json::parse(toy_.result_without_dropout(fit(train, more)));
  }
  std::string said(const std::string& train, const Words& more) const {
    const Finished run = portatune(fit(train, more));
    std::filesystem::remove_all(toy_.output());
    return unwrapped(run.err);
  }

  const Toy toy_;
};

TEST_F(ExampleWeights, AWeightOf2IsTheRowTwiceAndAWeightOf0IsNoRow) {
  const std::vector<std::pair<std::string, Words>> ways = {{"8", {}},
                                                           {"8", {"--packing", "exact_examples", "--max-length", "32"}},
                                                           {"4", {"--gradient-accumulation-steps", "2"}},
                                                           {"4", {"--mesh", "data=2"}}};
  const json wanted = result("repeated.csv", {});
  EXPECT_GT(std::abs(wanted["after"]["loss"].get<double>() -
                     result("weighted.csv", {"--weight-column", ""})["after"]["loss"].get<double>()),
            1e-3);
  for (auto [size, more] : ways) {
    Words words = with_batch_size(fit("weighted.csv", {}), size);
    if (const auto length = std::ranges::find(more, "--max-length"); length != more.end()) {
      *std::next(std::ranges::find(words, "--max-length")) = *std::next(length);
      more.erase(length, length + 2);
    }
    const json found = json::parse(toy_.result_without_dropout(words + more));
    EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-4)
        << testing::PrintToString(more);
    EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 1e-4)
        << testing::PrintToString(more);
  }
}

TEST_F(ExampleWeights, AreReportedAndCanHaveAnotherName) {
  EXPECT_THAT(said("weighted.csv", {}), HasSubstr("; weights 0 to 2 in column example_weight;"));
  EXPECT_THAT(said("weighted.csv", {"--weight-column", ""}), Not(HasSubstr("; weights")));
  EXPECT_THAT(said("repeated.csv", {}), Not(HasSubstr("; weights")));
  std::string text = read(toy_.file("weighted.csv"));
  write(toy_.file("weighted.csv"), text.replace(text.find("example_weight"), 14, "importance"));
  EXPECT_THAT(said("weighted.csv", {"--weight-column", "importance"}),
              HasSubstr("; weights 0 to 2 in column importance;"));
  EXPECT_THAT(said("weighted.csv", {"--weight-column", "importanc"}), HasSubstr("did you mean 'importance'?"));
}

// The validation rows have no weights, and those that --validation-split holds out lose theirs.
TEST_F(ExampleWeights, DoNotCountInScores) {
  std::istringstream lines(toy_csv(8));
  std::string line, text;
  for (int row = 0; std::getline(lines, line); ++row) {
    text += line + (row == 0 ? ",example_weight" : "," + std::to_string(row)) + "\n";
  }
  write(toy_.file("weighted.csv"), text);
  const Words words = {"fit",
                       "--model",
                       tiny_bert(),
                       "--train",
                       toy_.file("weighted.csv"),
                       "--validation-split",
                       "0.5",
                       "--max-length",
                       "16",
                       "--max-steps",
                       "1",
                       "--output",
                       toy_.output(),
                       "--json"};
  const Finished weighted = portatune(words);
  ASSERT_EQ(weighted.exit_code, 0) << weighted.err;
  std::filesystem::remove_all(toy_.output());
  const Finished plain = portatune(words + Words{"--weight-column", ""});
  EXPECT_EQ(json::parse(weighted.out)["before"], json::parse(plain.out)["before"]);
}

TEST_F(ExampleWeights, MustBeFiniteAndNotNegative) {
  for (const std::string bad : {"-1", "nan", "much", ""}) {
    write(toy_.file("bad.csv"), "text,label,example_weight\na,0,1\nb,1," + bad + "\n");
    const Finished run = portatune(fit("bad.csv", {}));
    EXPECT_EQ(run.exit_code, 65) << bad;
    EXPECT_THAT(run.err, HasSubstr("bad.csv:3"));
    EXPECT_THAT(run.err, HasSubstr("'" + bad + "' in column \"example_weight\""));
    EXPECT_THAT(run.err, HasSubstr("a finite number of at least 0"));
  }
}

}  // namespace
}  // namespace portatune::cli
