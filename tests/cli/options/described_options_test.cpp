#include "portatune/cli/options/described_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct ToyOptions {
  int64_t count = 3;
  double beta = 0.9;
  std::optional<int64_t> period;
  bool fast = false, cache = true;
  std::optional<bool> greater;
  std::string kind = "a", column;
  DType dtype = DType::kFloat32;
  std::filesystem::path folder;
  std::vector<std::string> names, files;

  void describe(OptionFields& fields) {
    fields.group("Toys");
    fields("count_of_toys", count, "a count", {.lowest = 1, .highest = 10, .other_names = "number_of_toys,n_toys"});
    fields("beta", beta, "a decay", {.below = 1});
    fields("period", period, "a period", {.default_help = "as the count"});
    fields("fast", fast, "a flag", {.other_names = "q"});
    fields("no_cache", cache, "a negated flag", {.sets = "false"});
    fields("greater", greater, "a flag that may be unset");
    fields("kind", kind, "a choice", {.choices = {{"a"}, {"b"}, {"bee", "b"}}});
    fields("column", column, "a name");
    fields("dtype", dtype, "a type");
    fields("folder", folder, "a folder");
    fields.group("Lists");
    fields("names", names, "a list");
    fields("files", files, "files", {.files = true});
  }
};

ToyOptions parsed(std::vector<std::string> words) {
  ToyOptions toy;
  CLI::App app;
  add_fields(app, fields_of(toy));
  std::ranges::reverse(words);
  app.parse(words);
  return toy;
}

std::string complaint_of_toy(const std::vector<std::string>& words) {
  return portatune::message_of<UsageError>([&] { parsed(words); });
}

TEST(DescribedOptions, ReachTheirFields) {
  const ToyOptions toy = parsed({"--count-of-toys",
                                 "4",
                                 "--beta",
                                 "0.5",
                                 "--period",
                                 "7",
                                 "--fast",
                                 "--no-cache",
                                 "--greater=false",
                                 "--kind",
                                 "bee",
                                 "--column",
                                 "x y",
                                 "--dtype",
                                 "bf16",
                                 "--folder",
                                 "a b",
                                 "--names",
                                 "p,q",
                                 "--files",
                                 "1,2.csv",
                                 "3.csv"});
  EXPECT_EQ(toy.count, 4);
  EXPECT_EQ(toy.beta, 0.5);
  EXPECT_EQ(toy.period, 7);
  EXPECT_TRUE(toy.fast);
  EXPECT_FALSE(toy.cache);
  EXPECT_EQ(toy.greater, false);
  EXPECT_EQ(toy.kind, "b");
  EXPECT_EQ(toy.column, "x y");
  EXPECT_EQ(toy.dtype, DType::kBFloat16);
  EXPECT_EQ(toy.folder, "a b");
  EXPECT_THAT(toy.names, ElementsAre("p", "q"));
  EXPECT_THAT(toy.files, ElementsAre("1,2.csv", "3.csv"));
}

TEST(DescribedOptions, OtherNamesAndEmptyListsAreRead) {
  EXPECT_EQ(parsed({"--n-toys", "5"}).count, 5);
  EXPECT_EQ(parsed({"--number-of-toys", "6"}).count, 6);
  EXPECT_THAT(parsed({"--names", ""}).names, IsEmpty());
  EXPECT_FALSE(parsed({"--fast=false"}).fast);
  EXPECT_TRUE(parsed({"-q"}).fast);
  EXPECT_EQ(parsed({}).greater, std::nullopt);
}

TEST(DescribedOptions, ErrorsSayWhatWasGivenAndExpected) {
  EXPECT_THAT(complaint_of_toy({"--count-of-toys", "0"}),
              AllOf(HasSubstr("given     --count-of-toys 0\n"), HasSubstr("an integer of at least 1 and at most 10")));
  EXPECT_THAT(complaint_of_toy({"--count-of-toys", "1.5"}), HasSubstr("an integer of at least 1 and at most 10"));
  EXPECT_THAT(complaint_of_toy({"--beta", "nan"}), HasSubstr("a number of at least 0 and below 1"));
  EXPECT_THAT(complaint_of_toy({"--dtype", "float17"}), HasSubstr("did you mean float16?"));
  EXPECT_THAT(complaint_of_toy({"--folder", "https://x"}), HasSubstr("a path of this machine"));
  EXPECT_THAT(complaint_of_toy({"--fast=maybe"}), HasSubstr("given     --fast maybe\n  expected  true or false"));
}

TEST(DescribedOptions, HelpHasFormDefaultAndGroup) {
  ToyOptions toy;
  CLI::App app;
  add_fields(app, fields_of(toy));
  const auto form = [&](const std::string& name) { return app.get_option(name)->get_type_name(); };
  const auto note = [&](const std::string& name) { return app.get_option(name)->get_default_str(); };
  EXPECT_EQ(form("--beta") + " " + form("--folder") + " " + form("--names") + " " + form("--files"),
            "N PATH A,B,... FILE...");
  EXPECT_EQ(form("--kind") + " " + form("--dtype"), "a|b float32|bfloat16|float16");
  EXPECT_EQ(
      note("--beta") + " " + note("--period") + " " + note("--fast") + " " + note("--kind") + " " + note("--column"),
      "0.9 as the count  a none");
  EXPECT_EQ(app.get_option("--beta")->get_group() + app.get_option("--files")->get_group(), "ToysLists");
}

TEST(DescribedOptions, CommandsMayHaveSomeFieldsInAGroupOfTheirOwn) {
  ToyOptions toy;
  CLI::App app;
  add_fields(app, only(fields_of(toy), {"dtype", "beta"}), "Size");
  EXPECT_EQ(app.get_option("--beta")->get_group(), "Size");
  EXPECT_EQ(app.get_option_no_throw("--kind"), nullptr);
}

}  // namespace
}  // namespace portatune::cli
