#include "portatune/cli/options/recipes/printed_config.h"

#include <gmock/gmock.h>

#include <regex>

#include "cli/program.h"
#include "cli/toy.h"
#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string config(const Words& words) { return std::get<Text>(parse(words + Words{"--print-config"})).text; }

std::string without_comments(const std::string& text) { return std::regex_replace(text, std::regex(" *#.*\n"), "\n"); }

class PrintedConfig : public testing::Test {
 protected:
  std::string file(const std::string& text, const std::string& name = "r.yaml") {
    write(folder_ / name, text);
    return (folder_ / name).string();
  }

  TemporaryFolder folder_;
};

TEST_F(PrintedConfig, NamesTheOriginOfEachValue) {
  const std::string recipe = file("learning_rate: 2e-5\nepochs: 7\n");
  const std::string text = config({"fit", "--recipe", recipe, "--epochs", "5", "--task", "text-classification",
                                   "--model", "m", "--train", "a.csv", "b.csv", "--output", "o"});
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("\nlearning_rate: 2e-5  # " + recipe + ":1\n"), HasSubstr("\nepochs: 5  # command line\n"),
            HasSubstr("\ntrain: [a.csv, b.csv]  # command line\n"), HasSubstr("\n# max_grad_norm: 1  # default\n"),
            HasSubstr("\n# resume: false  # default\n"), HasSubstr("\n# max_length: 128  # default\n")));
  EXPECT_THAT(text, Not(HasSubstr("doc_stride")));  // an option of another task
}

TEST_F(PrintedConfig, IsARecipeOfTheSameOptions) {
  const Words words = {"fit",
                       "--model",
                       "a model",
                       "--train",
                       "a, b.csv",
                       "--output",
                       "o: #1",
                       "--no-cache",
                       "--resume=false",
                       "--column-names",
                       "",
                       "--rename-columns",
                       "a=b",
                       "c=d",
                       "--label-columns",
                       "x,y",
                       "--padding",
                       "buckets=32,64",
                       "--delimiter",
                       "\\t",
                       "--learning-rate",
                       "2e-5",
                       "--early-stopping-patience",
                       "3",
                       "--mesh",
                       "data=2"};
  const std::string once = config(words);
  const std::string twice = config({"fit", "--recipe", file(once, "once.yaml")});
  EXPECT_EQ(without_comments(twice), without_comments(once));
  const auto values = [](const Words& given) { return std::get<FitArguments>(parse(given)).values; };
  EXPECT_EQ(values({"fit", "--recipe", file(once, "once.yaml")}), values(words));
  const std::string again = file(once, "once.yaml");
  EXPECT_EQ(config({"fit", "--recipe", again}), twice);
}

TEST_F(PrintedConfig, OfEvaluateHasTheSettingsOfTheModel) {
  write(folder_ / "portatune.json", R"({"task": "text-classification", "max_length": 64})");
  const std::string text = config({"evaluate", "--model", folder_.path().string(), "--data", "d.csv"});
  EXPECT_THAT(text, HasSubstr("\nmax_length: 64  # " + (folder_ / "portatune.json").string() + ":1\n"));
  EXPECT_THAT(config({"predict", "--model", "m", "--text", "a", "--text", "b"}),
              HasSubstr("\ntext: [a, b]  # command line\n"));
}

TEST_F(PrintedConfig, OfSeveralAdaptersIsARecipeOfAll) {
  const Words words = {"predict", "--model", "m", "--text", "x", "--adapter", "a=one", "--adapter", "b=two"};
  const std::string text = config(words);
  EXPECT_THAT(text, HasSubstr("\nadapter: [a=one, b=two]  # command line\n"));
  const auto adapters = std::get<PredictArguments>(parse({"predict", "--recipe", file(text)})).adapters;
  ASSERT_EQ(adapters.size(), 2);
  EXPECT_EQ(adapters[0].name, "a");
  EXPECT_EQ(adapters[1].folder, "two");
}

TEST_F(PrintedConfig, WithoutATaskHasTheOptionsOfTheDefaultTask) {
  const std::string text = config({"fit", "--model", "m", "--train", "t.csv", "--output", "o"});
  EXPECT_THAT(text, AllOf(HasSubstr("\n# max_length: 128  # default\n"), HasSubstr("\n# text_column: ")));
  EXPECT_THAT(text, Not(HasSubstr("doc_stride")));
}

TEST_F(PrintedConfig, WithTheTaskOfTheModelHasTheOptionsOfAllTasks) {
  const std::string text = config({"evaluate", "--model", "m", "--data", "d.csv"});
  EXPECT_THAT(text, AllOf(HasSubstr("\n# max_length: "), HasSubstr("\n# doc_stride: ")));
}

TEST(PrintConfig, IsNoSettingOfARecipe) {
  const TemporaryFolder folder;
  write(folder / "r.yaml", "print_config: true\n");
  const Words words = {"fit", "--model", "m", "--train", "t", "--output", "o", "--recipe", folder / "r.yaml"};
  expect_error<UsageError>([&] { parse(words); }, {"r.yaml:1", "unknown option \"print_config\""});
}

TEST(PrintConfig, RunsNothing) {
  const TemporaryFolder folder;
  const Finished finished = portatune(
      {"fit", "--model", "absent", "--train", "absent.csv", "--output", (folder / "out").string(), "--print-config"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, HasSubstr("model: absent  # command line\n"));
  EXPECT_THAT(names_in(folder.path()), testing::IsEmpty());
}

TEST(PrintConfig, RejectsWhatARunRejects) {
  EXPECT_THROW(config({"fit", "--model", "m"}), UsageError);
  EXPECT_THROW(config({"fit", "--model", "m", "--train", "t", "--output", "o", "--epochs", "-1"}), UsageError);
}

}  // namespace
}  // namespace portatune::cli
