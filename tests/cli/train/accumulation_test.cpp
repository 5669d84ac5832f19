// --gradient-accumulation-steps: micro-batches train to what the batch that they make up trains to.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The 64 rows make three steps of 20 and one of 4, of which three micro-batches are empty.
TEST(GradientAccumulation, TrainsToWhatTheLargeBatchTrainsTo) {
  const Toy toy;
  const auto result_of = [&](const std::string& batch_size, const Words& more) {
    return json::parse(toy.result_without_dropout(with_batch_size(toy.fit(Words{"--epochs", "2"} + more), batch_size)));
  };
  const json whole = result_of("20", {}), parts = result_of("5", {"--gradient-accumulation-steps", "4"});
  write(toy.file("recipe.yaml"), "gradient_accumulation_steps: 2\n");
  const json recipe = result_of("10", {"--recipe", toy.file("recipe.yaml")});
  for (const json& found : {parts, recipe}) {
    EXPECT_EQ(found["steps"], 8);
    EXPECT_NEAR(found["train_loss"], whole["train_loss"], 1e-4);
    EXPECT_NEAR(found["after"]["loss"], whole["after"]["loss"], 1e-4);
  }
}

TEST(GradientAccumulation, ResumingWithOtherMicroBatchesIsRefused) {
  const Toy toy;
  const Words halves{"--gradient-accumulation-steps", "2", "--epochs", "400"};
  Program first(toy.fit(halves));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, 75);
  const Finished run = portatune(toy.fit({"--epochs", "400", "--resume"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("given     gradient_accumulation_steps 1"));
  EXPECT_THAT(run.err, HasSubstr("expected  gradient_accumulation_steps 2"));
}

TEST(GradientAccumulation, RefusesNextSentencePrediction) {
  const Toy toy;
  const Finished run =
      portatune(toy.fit({"--gradient-accumulation-steps", "2", "--task", "masked-lm", "--next-sentence"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--gradient-accumulation-steps 2"));
}

TEST(GradientAccumulation, DividesPackedBatchesToo) {
  const Toy toy;
  const Words words = toy.fit({"--gradient-accumulation-steps", "2", "--packing", "exact_examples", "--json"});
  const Finished run = portatune(with_batch_size(words, "8"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("packing 2 x 8 examples into"));
  EXPECT_EQ(json::parse(run.out)["steps"], 12);  // three epochs of 64 rows
  const json step = json::parse(read(toy.output() + "/report.json"))["step"];
  EXPECT_GT(step["flops"], 0) << run.err;
}

}  // namespace
}  // namespace portatune::cli
