#include <gmock/gmock.h>

#include <csignal>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// Runs on a file of rows with the tiny model's vocabulary: [CLS] 2, [SEP] 3, good 5, the 13, film 15.
class Tokenize : public testing::Test {
 protected:
  Finished run(const std::string& name, const std::string& rows, const Words& more = {}) const {
    write(toy_.file(name), rows);
    return portatune(Words{"tokenize", "--tokenizer", tiny_bert(), "--input", toy_.file(name)} + more);
  }
  const Toy toy_;
};

TEST_F(Tokenize, WritesIdsAndOffsetsOfEachRow) {
  const std::string output = toy_.file("ids.jsonl");
  const Finished finished =
      run("new.jsonl", "{\"text\": \"the film\", \"x\": [1]}\n{\"text\": \"\\u00c9 Good\"}\n", {"--output", output});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(read(output),
            "{\"ids\":[2,13,15,3],\"offsets\":[[0,0],[0,3],[4,8],[0,0]]}\n"
            "{\"ids\":[2,39,5,3],\"offsets\":[[0,0],[0,1],[2,6],[0,0]]}\n");
}

TEST_F(Tokenize, TakesASecondTextWhereARowHasOne) {
  const Finished finished = run("new.jsonl",
                                "{\"text\": \"the\", \"text_pair\": \"film\"}\n{\"text\": \"the\"}\n"
                                "{\"text\": \"the\", \"text_pair\": null}\n");
  EXPECT_EQ(finished.out,
            "{\"ids\":[2,13,3,15,3],\"offsets\":[[0,0],[0,3],[0,0],[0,4],[0,0]]}\n"
            "{\"ids\":[2,13,3],\"offsets\":[[0,0],[0,3],[0,0]]}\n"
            "{\"ids\":[2,13,3],\"offsets\":[[0,0],[0,3],[0,0]]}\n")
      << finished.err;
}

TEST_F(Tokenize, ReadsTablesByTheColumnsThatAreNamed) {
  const Words columns = {"--text-column", "a", "--text-pair-column", "b", "--no-special-tokens"};
  const std::string expected = "{\"ids\":[13,15],\"offsets\":[[0,3],[0,4]]}\n";
  EXPECT_EQ(run("new.csv", "b,a\nfilm,the\n", columns).out, expected);
  EXPECT_EQ(run("new.tsv", "b\tc\ta\nfilm\t\"\tthe\n", columns).out, expected);
}

TEST_F(Tokenize, CutsToTheLength) {
  EXPECT_EQ(run("new.csv", "text\nthe good film\n", {"--max-length", "3"}).out,
            "{\"ids\":[2,13,3],\"offsets\":[[0,0],[0,3],[0,0]]}\n");
}

TEST_F(Tokenize, KeepsTheOrderOfManyRows) {
  std::string rows = "text\n", expected;
  for (int i = 0; i < 3000; ++i) {
    rows += i % 3 == 0 ? "the\n" : "film\n";
    expected += i % 3 == 0 ? "{\"ids\":[13],\"offsets\":[[0,3]]}\n" : "{\"ids\":[15],\"offsets\":[[0,4]]}\n";
  }
  EXPECT_EQ(run("new.csv", rows, {"--no-special-tokens"}).out, expected);
}

TEST_F(Tokenize, BadRowLeavesTheOlderFileAsItWas) {
  write(toy_.file("older.jsonl"), "older");
  const Finished finished =
      run("new.jsonl", "{\"text\": \"the\"}\n{\"txt\": \"film\"}\n", {"--output", toy_.file("older.jsonl")});
  EXPECT_EQ(finished.exit_code, 65);
  EXPECT_THAT(finished.err, HasSubstr("new.jsonl:2\n  given     no column 'text'"));
  EXPECT_EQ(read(toy_.file("older.jsonl")), "older");
  EXPECT_THAT(toy_.left_behind(), testing::UnorderedElementsAre("new.jsonl", "older.jsonl"));
}

TEST_F(Tokenize, NamesAComponentThatIsLacking) {
  const std::string model = toy_.copy_of_model();
  write(model + "/tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {}}})");
  write(toy_.file("new.csv"), "text\nthe\n");
  const Finished finished = portatune({"tokenize", "--tokenizer", model, "--input", toy_.file("new.csv")});
  EXPECT_EQ(finished.exit_code, 65);
  EXPECT_THAT(finished.err, HasSubstr("model \"WordLevel\" at model"));
}

TEST_F(Tokenize, NeedsATokenizer) {
  write(toy_.file("new.csv"), "text\nthe\n");
  const Finished finished =
      portatune({"tokenize", "--tokenizer", toy_.path().string(), "--input", toy_.file("new.csv")});
  EXPECT_EQ(finished.exit_code, 66);
  EXPECT_THAT(finished.err, HasSubstr("none of tokenizer.json"));
}

TEST_F(Tokenize, FullDiskIsAnError) {
  write(toy_.file("new.csv"), toy_csv(5000));
  const Words words = {"tokenize", "--tokenizer", tiny_bert(), "--input", toy_.file("new.csv")};
  EXPECT_EQ(portatune(words, {.stdout_to = "/dev/full"}).exit_code, 74);
}

TEST_F(Tokenize, RemovesWhatAKilledRunHasLeft) {
  std::filesystem::create_directory(toy_.file("results"));
  write(toy_.file("results/tmp.ids.jsonl.0123456789abcdef"), "unfinished");
  const Finished finished = run("new.csv", "text\nthe\n", {"--output", toy_.file("results/ids.jsonl")});
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(names_in(toy_.file("results")), testing::ElementsAre("ids.jsonl"));
}

TEST_F(Tokenize, SignalLeavesNothing) {
  write(toy_.file("many.csv"), toy_csv(2'000'000));
  std::filesystem::create_directory(toy_.file("results"));
  Program program({"tokenize", "--tokenizer", tiny_bert(), "--input", toy_.file("many.csv"), "--output",
                   toy_.file("results/ids.jsonl")});
  ASSERT_TRUE(program.makes(toy_.file("results"), "tmp.ids.jsonl."));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(names_in(toy_.file("results")), testing::IsEmpty());
}

}  // namespace
}  // namespace portatune::cli
