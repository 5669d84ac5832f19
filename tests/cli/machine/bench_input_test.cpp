// The real command portatune bench-input.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Words bench_input(const Toy& toy, const Words& more) {
  return Words{"bench-input",  "--model", tiny_bert(), "--train", toy.file("train.csv"), "--max-length", "16",
               "--batch-size", "10",      "--seconds", "0"} +
         more;
}

TEST(BenchInput, ShowsEveryStageOfTheChain) {
  const Toy toy;
  const Finished run = portatune(bench_input(toy, {}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::MatchesRegex("stage +seconds +share +examples/s +tokens/s\n"
                                             "read [^\n]+\n"
                                             "shuffle [^\n]+\n"
                                             "tokenize [^\n]+\n"
                                             "batch [^\n]+\n"
                                             "all [^\n]+\n"
                                             "1 passes, 7 batches, 64 examples, [0-9.]+ % of positions hold tokens\n"));
}

TEST(BenchInput, JsonHasTheSameAndCountsEveryExampleOnce) {
  const Toy toy;
  const Finished run = portatune(bench_input(toy, {"--json", "--padding", "auto=2", "--quiet"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const json result = json::parse(run.out);
  EXPECT_EQ(result["examples"], 64);
  EXPECT_EQ(result["batches"], 7);
  EXPECT_EQ(result["passes"], 1);
  // Every sentence has nine words and two special tokens.
  EXPECT_EQ(result["tokens"], 64 * 11);
  EXPECT_EQ(result["positions"], 70 * 11);
  ASSERT_EQ(result["stages"].size(), 4u);
  double sum = 0;
  for (const json& stage : result["stages"]) {
    EXPECT_GE(stage["seconds"], 0);
    sum += stage["seconds"].get<double>();
  }
  EXPECT_LE(sum, result["seconds"].get<double>());
  EXPECT_GT(result["examples_per_second"], 0);
}

TEST(BenchInput, ReadsRecipesOfTraining) {
  const Toy toy;
  write(toy.file("recipe.yaml"), "learning_rate: 3e-5\nbatch_size: 5\npadding: multiple_of=4\n");
  const Finished run = portatune({"bench-input", "--recipe", toy.file("recipe.yaml"), "--model", tiny_bert(), "--train",
                                  toy.file("train.csv"), "--max-length", "16", "--seconds", "0", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["batches"], 13);
}

TEST(BenchInput, NeedsRows) {
  const Finished run = portatune({"bench-input", "--model", tiny_bert()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--train"));
}

}  // namespace
}  // namespace portatune::cli
