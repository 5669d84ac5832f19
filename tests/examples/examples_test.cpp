// The programs of examples/ do what they say.
#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/program.h"
#include "cli/toy.h"

namespace portune::cli {
namespace {

// What a program prints; its exit code must be 0.
std::string run(const Toy& toy, const std::string& command) {
  setenv("XDG_CACHE_HOME", PORTUNE_TEST_CACHE, 1);
  EXPECT_EQ(std::system((command + " >" + toy.file("printed") + " 2>&1").c_str()), 0) << read(toy.file("printed"));
  return read(toy.file("printed"));
}

TEST(Examples, FineTuneLearns) {
  const Toy toy;
  const std::string printed = run(toy, std::string(FINE_TUNE) + " " + tiny_bert() + " " + toy.file("train.csv") + " " +
                                           toy.file("validation.csv") + " " + toy.output());
  EXPECT_THAT(printed, testing::MatchesRegex("loss [0-9.]+\naccuracy [0-9.]+\nroc_auc [0-9.]+\n"));
  EXPECT_GT(std::atof(printed.substr(printed.find("accuracy ") + 9).c_str()), 0.95) << printed;
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

TEST(Examples, OwnLoopStopsWhenTheLossIsLow) {
  const Toy toy;
  const std::string printed =
      run(toy, std::string(OWN_LOOP) + " " + tiny_bert() + " " + toy.file("train.csv") + " " + toy.output());
  EXPECT_THAT(printed, testing::HasSubstr("step  10  loss "));
  EXPECT_THAT(printed, testing::Not(testing::HasSubstr("step 200")));
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

}  // namespace
}  // namespace portune::cli
