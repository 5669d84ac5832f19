// fit --adapter lora, the commands that read its folder, and portatune merge.
#include <gmock/gmock.h>

#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const Words kAdapter = {"--adapter", "lora", "--lora-rank", "4", "--lora-target-modules", "all-linear"};

TEST(AdapterCommand, SavesTheAdapterAloneAndMergesToTheSameScores) {
  const Toy toy;
  const Finished run = portatune(toy.fit(kAdapter));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("in adapters and head"));
  EXPECT_TRUE(fs::exists(toy.output() + "/adapter_model.safetensors"));
  EXPECT_FALSE(fs::exists(toy.output() + "/model.safetensors"));

  const auto evaluated = [&](const std::string& model) {
    const Finished scores =
        portatune({"evaluate", "--model", model, "--data", toy.file("validation.csv"), "--json", "--quiet"});
    EXPECT_EQ(scores.exit_code, 0) << scores.err;
    return scores.out.substr(0, scores.out.find("\"roc_auc\""));
  };
  const Finished merge = portatune({"merge", "--model", toy.output(), "--output", toy.file("merged")});
  ASSERT_EQ(merge.exit_code, 0) << merge.err;
  EXPECT_TRUE(fs::exists(toy.file("merged") + "/model.safetensors"));
  EXPECT_FALSE(fs::exists(toy.file("merged") + "/adapter_config.json"));
  EXPECT_EQ(evaluated(toy.file("merged")), evaluated(toy.output()));
}

TEST(AdapterCommand, AnAdapterIsTrainedFurtherButGetsNoSecondOne) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit(kAdapter)).exit_code, 0);
  const Words further = {"fit",      "--model",           toy.output(),  "--train", toy.file("train.csv"),
                         "--output", toy.file("further"), "--max-steps", "1",       "--max-length",
                         "16"};
  const Finished run = portatune(further);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fs::exists(toy.file("further") + "/adapter_model.safetensors"));
  const Finished second = portatune(further + Words{"--overwrite-output"} + kAdapter);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, AllOf(HasSubstr("an adapter itself"), HasSubstr("portatune merge")));
}

TEST(AdapterCommand, MergeRefusesAModel) {
  const Toy toy;
  const Finished model = portatune({"merge", "--model", tiny_bert(), "--output", toy.file("merged")});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_THAT(model.err, HasSubstr("a whole model"));
}

TEST(AdapterCommand, OptionsOfAdaptersNeedOne) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--lora-rank", "4"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--adapter lora"));
}

TEST(AdapterCommand, MergeHasAJsonResult) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit(kAdapter)).exit_code, 0);
  const Finished merge = portatune({"merge", "--model", toy.output(), "--output", toy.file("merged"), "--json"});
  EXPECT_EQ(merge.exit_code, 0) << merge.err;
  EXPECT_THAT(merge.out, HasSubstr("\"merged_layers\":"));
}

}  // namespace
}  // namespace portatune::cli
