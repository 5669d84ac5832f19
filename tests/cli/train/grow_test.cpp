// portatune grow, and fit --grow.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tensor.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(GrowCommand, ReportsTheSizes) {
  const Toy toy;
  const Finished run = portatune(
      {"grow", "--model", tiny_bert(), "--layers", "3", "--intermediate-size", "64", "--output", toy.file("big")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 -> 3 layers of 32 -> 64 intermediate features; "));
  EXPECT_THAT(run.err, HasSubstr("portatune fit --model " + toy.file("big")));
  EXPECT_EQ(names_in(toy.file("big")), names_in(tiny_bert()));
  EXPECT_EQ(read(toy.file("big") + "/tokenizer.json"), read(tiny_bert() + "/tokenizer.json"));
}

TEST(GrowCommand, HasAJsonResult) {
  const Toy toy;
  const Finished run =
      portatune({"grow", "--model", tiny_bert(), "--layers", "2", "--output", toy.file("big"), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["before"], json::parse(R"([{"layers": 1, "intermediate_size": 32}])"));
  EXPECT_EQ(result["after"], json::parse(R"([{"layers": 2, "intermediate_size": 32}])"));
  // A layer has 4 * (16 * 16 + 16) weights of attention, 2 * 16 * 32 + 32 + 16 of its two layers, and two norms.
  EXPECT_EQ(result["parameters"].get<int>() - result["parameters_before"].get<int>(), 1088 + 1072 + 64);
}

TEST(GrowCommand, RefusesWhatDoesNotFit) {
  const Toy toy;
  const auto grow = [&](const Words& more) {
    return portatune(Words{"grow", "--model", tiny_bert(), "--output", toy.file("big")} + more);
  };
  const Finished shrinks = grow({"--intermediate-size", "16"}), uneven = grow({"--intermediate-size", "48"}),
                 silent = grow({"--layers", "2", "--depth", "zero"}), nothing = grow({});
  for (const Finished& run : {shrinks, uneven, silent, nothing}) EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(shrinks.err, AllOf(HasSubstr("--intermediate-size"), HasSubstr("at least 32")));
  EXPECT_THAT(uneven.err, HasSubstr("a multiple of 32"));
  EXPECT_THAT(silent.err, AllOf(HasSubstr("--depth"), HasSubstr("ends with a norm")));
  EXPECT_THAT(nothing.err, HasSubstr("--layers"));
  EXPECT_FALSE(std::filesystem::exists(toy.file("big")));
}

// The rows of a matrix from `begin` on, as many as half of it.
std::vector<float> half_of_rows(const std::string& folder, const std::string& name, int64_t half) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(folder + "/model.safetensors");
  const std::vector<float> all = to_floats(*file.find(name));
  const auto middle = all.begin() + std::ssize(all) / 2;
  return half == 0 ? std::vector(all.begin(), middle) : std::vector(middle, all.end());
}

TEST(GrowCommand, OnlyNoiseLetsCopiesLearnSomethingElse) {
  const Toy toy;
  for (const char* noise : {"0", "0.01"}) {
    const std::string big = toy.file(std::string("big-") + noise);
    ASSERT_EQ(
        portatune({"grow", "--model", tiny_bert(), "--intermediate-size", "64", "--noise", noise, "--output", big})
            .exit_code,
        0);
    Words words = toy.fit({"--epochs", "2", "--quiet"});
    *std::next(std::ranges::find(words, "--model")) = big;
    *std::next(std::ranges::find(words, "--output")) = big + "-tuned";
    const Finished run = portatune(words);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string name = "bert.encoder.layer.0.intermediate.dense.weight", tuned = big + "-tuned";
    EXPECT_NE(half_of_rows(tuned, name, 0), half_of_rows(big, "encoder.layer.0.intermediate.dense.weight", 0));
    EXPECT_EQ(half_of_rows(tuned, name, 0) == half_of_rows(tuned, name, 1), std::string(noise) == "0");
  }
}

constexpr const char* kStages =
    "- max_steps: 6\n"
    "  max_length: 8\n"
    "- layers: 2\n"
    "  max_steps: 8\n"
    "  learning_rate: 5e-3\n"
    "  warmup_steps: 2\n"
    "- layers: 4\n"
    "  intermediate_size: 64\n"
    "  max_steps: 10\n";

class GrowingRun : public testing::Test {
 protected:
  GrowingRun() { write(toy_.file("stages.yaml"), kStages); }

  Words fit(const Words& more = {}) const { return toy_.fit(Words{"--grow", toy_.file("stages.yaml")} + more); }
  std::string stage(int number) const { return toy_.output() + "/stage-" + std::to_string(number); }
  json config(int number) const { return json::parse(read(stage(number) + "/config.json")); }

  const Toy toy_;
};

TEST_F(GrowingRun, TrainsEachStageOnTheModelOfTheStageBefore) {
  const Finished run = portatune(fit({"--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["steps"], 10);
  EXPECT_THAT(names_in(toy_.output()), ElementsAre("stage-1", "stage-2", "stage-3", "stages.json"));
  EXPECT_EQ(config(1)["num_hidden_layers"], 1);
  EXPECT_EQ(config(2)["num_hidden_layers"], 2);
  EXPECT_EQ(config(3)["num_hidden_layers"], 4);
  EXPECT_EQ(config(3)["intermediate_size"], 64);
  const json second = json::parse(read(stage(2) + "/training_args.json")).at("options");
  EXPECT_EQ(second["learning_rate"], 5e-3);
}

// A stage is a run of fit on a model that portatune grow has made, with a new optimizer.
TEST_F(GrowingRun, HasTheBitsOfSeparateCommands) {
  ASSERT_EQ(portatune(fit({"--quiet"})).exit_code, 0);
  const std::string big = toy_.file("big"), alone = toy_.file("alone");
  const Finished grown =
      portatune({"grow", "--model", stage(1), "--layers", "2", "--seed", "42", "--output", big, "--quiet"});
  ASSERT_EQ(grown.exit_code, 0) << grown.err;
  Words words = toy_.fit({"--max-steps", "8", "--warmup-steps", "2", "--quiet"});
  *std::next(std::ranges::find(words, "--model")) = big;
  *std::next(std::ranges::find(words, "--output")) = alone;
  *std::next(std::ranges::find(words, "--learning-rate")) = "5e-3";
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(weights_in(alone), weights_in(stage(2)));
}

TEST_F(GrowingRun, ResumesTheKilledStageWithTheSameBits) {
  const Words words = fit({"--checkpoint-every", "2", "--keep-checkpoints", "2"});
  const Finished whole = portatune(words);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  std::filesystem::rename(toy_.output(), toy_.file("whole"));

  Program program(words);
  ASSERT_TRUE(program.makes(stage(2), "checkpoint-"));
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait().exit_code, 137);
  const Finished resumed = portatune(words + Words{"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("stage 1 of 3: trained by an earlier run"));
  EXPECT_THAT(resumed.err, HasSubstr("stage-2/checkpoint-"));
  EXPECT_EQ(weights_in(stage(2)), weights_in(toy_.file("whole") + "/stage-2"));
  EXPECT_EQ(weights_in(stage(3)), weights_in(toy_.file("whole") + "/stage-3"));
}

TEST_F(GrowingRun, IsResumedByTheCommandThatItPrints) {
  Program program(fit({"--checkpoint-every", "2"}));
  ASSERT_TRUE(program.makes(stage(2), "checkpoint-"));
  program.signal(SIGINT);
  const Finished stopped = program.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  const Finished resumed = portatune_by_shell(pasted_command(stopped.err));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(std::filesystem::exists(stage(3) + "/model.safetensors"));
}

TEST_F(GrowingRun, IsFinishedWithItsStages) {
  ASSERT_EQ(portatune(fit({"--quiet"})).exit_code, 0);
  EXPECT_EQ(portatune(fit()).exit_code, 73);
  const Finished again = portatune(fit({"--resume"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, AllOf(HasSubstr("stage 3 of 3: trained by an earlier run"), HasSubstr("nothing to do"),
                               Not(HasSubstr("the model grows"))));
}

TEST_F(GrowingRun, IsNotResumedWithOtherStagesThanHaveBegun) {
  ASSERT_EQ(portatune(fit({"--quiet"})).exit_code, 0);
  const auto complaint = [&](const std::string& stages, const Words& more = {}) {
    write(toy_.file("stages.yaml"), stages);
    const Finished run = portatune(fit(Words{"--resume"} + more));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(complaint(std::string(kStages) + "  warmup_steps: 3\n"),
              AllOf(HasSubstr("stage 3 with"), HasSubstr("warmup_steps 3 in place of 0")));
  EXPECT_THAT(complaint("- max_steps: 8\n"), HasSubstr("at least the 3 that have begun"));
  EXPECT_THAT(complaint(kStages, {"--seed", "7"}), HasSubstr("seed 7 in place of 42"));
}

TEST_F(GrowingRun, TrainsChangedAndNewStagesBehindThoseThatHaveBegun) {
  ASSERT_EQ(portatune(fit({"--quiet"})).exit_code, 0);
  std::filesystem::remove_all(stage(3));
  write(toy_.file("stages.yaml"), std::string(kStages) + "  warmup_steps: 3\n- max_steps: 2\n");
  const Finished resumed = portatune(fit({"--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, AllOf(HasSubstr("stage 2 of 4: trained by an earlier run"),
                                 HasSubstr("stage 3 of 4 has changed: "), HasSubstr("warmup_steps 3 in place of 0")));
  EXPECT_TRUE(std::filesystem::exists(stage(4) + "/model.safetensors"));
}

TEST_F(GrowingRun, ErrorsNameTheLineOfTheStages) {
  const auto complaint = [&](const std::string& stages, const Words& more = {}) {
    write(toy_.file("stages.yaml"), stages);
    const Finished run = portatune(fit(more));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_FALSE(std::filesystem::exists(toy_.output()));
    return run.err;
  };
  EXPECT_THAT(complaint("- layers: 2\n- layers: many\n"), AllOf(HasSubstr("stages.yaml:2"), HasSubstr("layers: many")));
  EXPECT_THAT(complaint("- output: other\n"), AllOf(HasSubstr("stages.yaml:1"), HasSubstr("differ between stages")));
  EXPECT_THAT(complaint("layers: 2\n"), HasSubstr("a list of stages"));
  EXPECT_THAT(complaint("- 2\n"), HasSubstr("no map of options"));
  EXPECT_THAT(complaint("- max_stepps: 2\n"), HasSubstr("max-steps"));
  EXPECT_THAT(complaint("- layers: 2\n", {"--from-config"}), HasSubstr("sizes in config.json"));
  for (const char* option : {"device: cpu", "mesh: data=2", "print-config: true"}) {
    EXPECT_THAT(complaint("- " + std::string(option) + "\n"), HasSubstr("differ between stages")) << option;
  }
}

// Before any stage is trained.
TEST_F(GrowingRun, ImpossibleStagesAreRefused) {
  const auto complaint = [&](const std::string& stages, const Words& more = {}) {
    write(toy_.file("stages.yaml"), stages);
    const Finished run = portatune(fit(more));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_FALSE(std::filesystem::exists(toy_.output()));
    return run.err;
  };
  EXPECT_THAT(complaint("- layers: 3\n- layers: 2\n"), HasSubstr("2, with a model of 3"));
  EXPECT_THAT(complaint("- max_steps: 1\n- layers: 2\n  depth: zero\n"), HasSubstr("stack or interpolate"));
  EXPECT_THAT(complaint("- max_steps: 1\n- depth: interpolate\n"), HasSubstr("the model does not grow"));
  EXPECT_THAT(complaint("- max_steps: 1\n- layers: 2\n  adapter: lora\n"), HasSubstr("train whole models"));
}

TEST_F(GrowingRun, AnErrorRemovesNoEarlierStages) {
  ASSERT_EQ(portatune(fit({"--quiet"})).exit_code, 0);
  Words words = fit({"--overwrite-output"});
  *std::next(std::ranges::find(words, "--train")) = toy_.file("missing.csv");
  EXPECT_NE(portatune(words).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(stage(3) + "/model.safetensors"));

  words = fit({"--overwrite-output"});
  std::string& model = *std::next(std::ranges::find(words, "--model"));
  std::filesystem::copy(model, stage(1) + "/start");
  model = stage(1) + "/start";
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("which would be removed"));
}

}  // namespace
}  // namespace portatune::cli
