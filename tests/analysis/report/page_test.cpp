#include "portatune/analysis/report/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/analysis/report/evaluations.h"
#include "portatune/error.h"

namespace portatune::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDataBegin = "<script type=\"application/json\" id=\"data\">";

// The text between the tags of the script element with the data, as a browser finds it.
std::string data_text(const std::string& page) {
  const size_t begin = page.find(kDataBegin) + std::string_view(kDataBegin).size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

class PageTest : public testing::Test {
 protected:
  std::filesystem::path add_run(const std::string& name, const std::string& log, const std::string& settings = "") {
    const std::filesystem::path folder = folder_.path() / name;
    std::filesystem::create_directories(folder);
    write_text(folder / "metrics.jsonl", log);
    if (!settings.empty()) write_text(folder / "training_args.json", settings);
    return folder;
  }
  static std::string page(const std::vector<std::filesystem::path>& folders) { return page_of(folders); }
  static json data_of(const std::vector<std::filesystem::path>& folders) {
    return json::parse(data_text(page(folders)));
  }

  const TemporaryFolder folder_;
};

constexpr const char* kLog = "{\"step\":10,\"loss\":0.6812}\n{\"step\":10,\"eval_loss\":null}\n";

TEST_F(PageTest, HasTheNumbersOfTheLog) {
  const json run = data_of({add_run("tuned", kLog)}).at(0);
  EXPECT_EQ(run.at("name"), "tuned");
  EXPECT_EQ(run.at("training"), json::parse(R"({"loss":{"steps":[10],"values":[0.6812]}})"));
  EXPECT_EQ(run.at("evaluation"), json::parse(R"({"eval_loss":{"steps":[10],"values":[null]}})"));
}

TEST_F(PageTest, NamesTheScoresOfWhichALowerValueIsBetter) {
  const json run = data_of({add_run("tuned", R"({"step":10,"eval_accuracy":0.5,"eval_loss":0.7,"eval_wer":0.2})"
                                             "\n")})
                       .at(0);
  EXPECT_EQ(run.at("lower_is_better"), json::parse(R"(["eval_loss","eval_wer"])"));
}

// A text of the table that looks like the place of the data is not filled in.
TEST_F(PageTest, HasTheTableThatItIsGiven) {
  const std::vector<std::filesystem::path> folders = {add_run("tuned", kLog)};
  const PageTable table{.title = "Configurations", .head = {"rate", "{{data}}"}, .rows = {{"1e-5", "</script>"}}};
  const std::string text = page_of(folders, &table);
  EXPECT_THAT(text, HasSubstr(R"("head":["rate","{{data}}"],"rows":[["1e-5","\u003c/script>"]])"));
  EXPECT_EQ(json::parse(data_text(text)).at(0).at("name"), "tuned");
  EXPECT_THAT(page(folders), HasSubstr("id=\"table\">null</script>"));
}

TEST_F(PageTest, SettingsAreRowsWithDotsInTheirNamesAndWithoutSecrets) {
  const json run =
      data_of({add_run("tuned", kLog,
                       R"({"options":{"seed":42,"train":["https://me:secret@host/a.csv"]},"device":"cpu"})")})
          .at(0);
  EXPECT_EQ(
      run.at("settings"),
      json::parse(R"([["options.seed","42"],["options.train","[\"https://...@host/a.csv\"]"],["device","cpu"]])"));
}

TEST_F(PageTest, NoTextEndsTheScript) {
  const std::string attack = "</script><script>alert(1)</script><!--";
  const std::filesystem::path folder = add_run("tuned", kLog, json{{"model", attack}}.dump());
  EXPECT_EQ(data_of({folder}).at(0).at("settings").at(0).at(1), attack);
  EXPECT_THAT(page({folder}), Not(HasSubstr("alert(1)</script>")));
}

TEST_F(PageTest, RunsHaveTheNamesOfTheirFoldersOrWherePathsDifferThePaths) {
  const std::filesystem::path a = add_run("a/tuned", kLog), b = add_run("b/tuned", kLog),
                              other = add_run("other", kLog);
  std::vector<std::string> names;
  for (const json& run : data_of({a, b, other / ""})) names.push_back(run.at("name"));
  EXPECT_THAT(names, ElementsAre(a.string(), b.string(), "other"));
}

std::vector<std::string> values_of(const json& runs, const char* key) {
  std::vector<std::string> values;
  for (const json& run : runs) values.push_back(run.at(key));
  return values;
}

TEST_F(PageTest, AFolderOfRunsStandsForThoseInside) {
  for (const char* name : {"folds/fold-10", "folds/fold-2", "folds/best", "other"}) add_run(name, kLog);
  std::filesystem::create_directories(folder_.path() / "folds/notes");
  const json runs = data_of({folder_.path() / "folds", folder_.path() / "other"});
  EXPECT_THAT(values_of(runs, "name"), ElementsAre("best", "fold-2", "fold-10", "other"));
  EXPECT_THAT(values_of(runs, "group"), ElementsAre("folds", "folds", "folds", ""));
}

TEST_F(PageTest, TheBestModelOfASweepIsNotAFurtherRun) {
  for (const char* name : {"swept/trial-1", "swept/trial-2", "swept/best"}) add_run(name, kLog);
  write_text(folder_.path() / "swept/sweep.json", "{}");
  EXPECT_THAT(values_of(data_of({folder_.path() / "swept"}), "name"), ElementsAre("trial-1", "trial-2"));
}

// An evaluation with `classes` classes, of which each is confused with all others.
std::string evaluation_at(int64_t step, int classes) {
  json line = {{"step", step}, {"set", ""}, {"mistakes", json::array()}};
  for (int i = 0; i < classes; ++i) {
    line["classes"].push_back({{"name", std::to_string(i)}, {"support", i}});
    line["confusions"].push_back({std::to_string(i), "0", 1});
  }
  return line.dump() + "\n";
}

TEST_F(PageTest, HasTheLastEvaluationAndTheBest) {
  const std::filesystem::path run = add_run("tuned", kLog);
  write_text(run / kEvaluationsFile, evaluation_at(10, 2) + evaluation_at(20, 2) + evaluation_at(30, 2) + "{\"st");
  std::filesystem::create_directories(run / "checkpoint-30");
  std::filesystem::create_directories(run / "checkpoint-20");
  write_text(run / "checkpoint-20/trainer_state.json", "{\"best_global_step\":10}");
  write_text(run / "checkpoint-30/trainer_state.json", "{\"best_global_step\":20}");
  const json data = data_of({run}).at(0);
  EXPECT_EQ(data.at("best_step"), 20) << "by the newest checkpoint";
  EXPECT_EQ(data.at("saves"), json({20, 30}));
  ASSERT_EQ(data.at("evaluations").size(), 2u);
  EXPECT_EQ(data.at("evaluations")[0].at("step"), 20);
  EXPECT_EQ(data.at("evaluations")[1].at("step"), 30);
  write_text(run / "trainer_state.json", "{\"best_global_step\":10}");
  EXPECT_EQ(data_of({run}).at(0).at("best_step"), 10) << "of the run that has ended";
}

TEST_F(PageTest, SkipsEvaluationsOfAnotherForm) {
  const std::filesystem::path run = add_run("tuned", kLog);
  std::string lines = evaluation_at(10, 2);
  for (const char* lists : {R"("classes":["yes"],"confusions":[],"mistakes":[])",
                            R"("classes":[{"support":"2"}],"confusions":[],"mistakes":[])",
                            R"("classes":[],"confusions":[["yes","no"]],"mistakes":[])",
                            R"("classes":[],"confusions":[],"mistakes":[{"file":"a.csv"}])"}) {
    lines += fmt::format("{{\"step\":20,\"set\":\"\",{}}}\n", lists);
  }
  write_text(run / kEvaluationsFile, lines + "[]\n7\n");
  const json evaluations = data_of({run}).at(0).at("evaluations");
  ASSERT_EQ(evaluations.size(), 1u);
  EXPECT_EQ(evaluations[0].at("step"), 10);
}

TEST_F(PageTest, HasTheMostFrequentOfManyClasses) {
  const std::filesystem::path run = add_run("tuned", kLog);
  write_text(run / kEvaluationsFile, evaluation_at(10, 150));
  const json evaluation = data_of({run}).at(0).at("evaluations").at(0);
  EXPECT_EQ(evaluation.at("classes").size(), 100u);
  EXPECT_EQ(evaluation.at("classes")[0].at("name"), "149");
  EXPECT_EQ(evaluation.at("more_classes"), 50);
  EXPECT_EQ(evaluation.at("confusions").size(), 30u);
}

// The lines of a run with as many numbers as training writes.
std::string long_log(int64_t steps) {
  std::string log;
  for (int64_t step = 1; step <= steps; ++step) {
    const double x = static_cast<double>(step) / 7;
    log += fmt::format(
        R"({{"step":{},"epoch":{},"loss":{},"learning_rate":{},"grad_norm":{},"tokens_per_second":{},"padding_share":{},)"
        R"("waiting_share":{},"memory_bytes":{},"device_memory_bytes":{},"seconds":{}}})"
        "\n",
        step, x / 1000, 1 + std::sin(x), 1e-5 * x, 2 + std::cos(x), 16000 + 100 * std::sin(x), x / 10000, x / 20000,
        1234567890 + step, 2345678901 + step, x);
  }
  return log;
}

TEST_F(PageTest, OfTenThousandStepsIsBelow500Kilobytes) {
  const std::filesystem::path run = add_run("long", long_log(10'000));
  EXPECT_LT(page({run}).size(), 500'000);
  EXPECT_LT(page({run, run, run, run}).size(), 1'000'000);
}

TEST_F(PageTest, NeedsNoNetwork) {
  const std::string text = page({add_run("tuned", kLog)});
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("https://")));
  EXPECT_THAT(text, Not(HasSubstr(" src=")));
  EXPECT_THAT(text, Not(HasSubstr("@import")));
}

TEST_F(PageTest, AFolderWithoutALogIsAnError) {
  std::filesystem::create_directories(folder_.path() / "empty");
  expect_error<NotFoundError>([&] { page({folder_.path() / "empty"}); },
                              {"empty\n", "given     no file metrics.jsonl", "expected  the output folder of a run",
                               "fix       name a folder"});
}

}  // namespace
}  // namespace portatune::report
