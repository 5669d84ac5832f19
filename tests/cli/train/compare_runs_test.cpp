// The real command portatune parity --against.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kFirstParameter = "bert.embeddings.word_embeddings.weight";

// With the learning rate of fine-tuning: at that of the toy, 1e-2, rounding grows quickly.
Words against(const Toy& toy, const std::string& setting, const Words& more = {}) {
  return Words{"parity",       "--against", setting,        "--model", tiny_bert(), "--train", toy.file("train.csv"),
               "--max-length", "16",        "--batch-size", "16"} +
         more;
}

// The tiny model of a stored case, with a tokenizer.
std::string tiny_model(const Toy& toy, const std::string& name) {
  const std::string model = toy.file(name);
  std::filesystem::copy(std::string(PORTATUNE_TEST_DATA) + "/models/" + name, model);
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(tiny_bert() + "/" + file, model + "/" + file);
  }
  return model;
}

json compared(const Words& words, int exit_code = 0) {
  const Finished run = portatune(words + Words{"--json", "--quiet"});
  EXPECT_EQ(run.exit_code, exit_code) << run.err << run.out;
  EXPECT_EQ(run.err, "");
  return json::parse(run.out);
}

TEST(CompareRuns, KernelsAgreeWithTheirDecompositions) {
  const Toy toy;
  const Finished run = portatune(against(toy, "cpu,no-kernels"));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("first   cpu, kernels, float32\nsecond  cpu, no-kernels, float32\n"));
  EXPECT_THAT(run.out, HasSubstr("\n    12 "));  // 3 epochs of 4 steps
  EXPECT_THAT(run.out, HasSubstr("\nall agree: "));
  EXPECT_THAT(run.out, Not(HasSubstr("beyond")));
  EXPECT_THAT(toy.left_behind(), IsEmpty());
}

TEST(CompareRuns, KernelsAgreeWithTheirDecompositionsInBfloat16) {
  const Toy toy;
  const json result = compared(against(toy, "no-kernels", {"--dtype", "bfloat16"}));
  EXPECT_EQ(result["first"], json({{"device", "cpu"}, {"kernels", true}, {"dtype", "bfloat16"}, {"mesh", "data=1"}}));
  EXPECT_EQ(result["second"], json({{"device", "cpu"}, {"kernels", false}, {"dtype", "bfloat16"}, {"mesh", "data=1"}}));
  EXPECT_GT(result["loss_apart_max"], 0);
}

// The true gradient of the biases of their keys is zero; 12 steps of rounding are compared.
TEST(CompareRuns, KernelsAgreeWithTheirDecompositionsWhereKeysHaveABias) {
  const Toy toy;
  for (const char* name : {"bert_softmax", "albert_softmax", "opt_softmax", "opt_lm"}) {
    Words words = against(toy, "no-kernels");
    std::ranges::replace(words, tiny_bert(), tiny_model(toy, name));
    if (name == std::string("opt_lm")) words = words + Words{"--task", "causal-lm"};
    EXPECT_EQ(compared(words)["passed"], true) << name;
  }
}

// A third of GPT-2's one bias of query, key and value is that of the keys, whose gradient is rounding.
TEST(CompareRuns, KernelsAgreeWithTheirDecompositionsWhereQueryKeyAndValueHaveOneBias) {
  const Toy toy;
  const std::string model = tiny_model(toy, "gpt2_lm");
  for (const char* dtype : {"float32", "bfloat16"}) {
    Words words = against(toy, "no-kernels", {"--task", "causal-lm", "--text-column", "text", "--dtype", dtype});
    std::ranges::replace(words, tiny_bert(), model);
    const json result = compared(words);
    EXPECT_EQ(result["passed"], true) << result["first_drift"];
    const auto is_compared = [](const json& parameter) {
      return parameter["tensor"] == "transformer.h.0.attn.c_attn.bias";
    };
    EXPECT_TRUE(std::ranges::any_of(result["parameters"], is_compared)) << "its other two thirds";
  }
}

TEST(CompareRuns, Bfloat16AgreesWithFloat32AsFarAsItCan) {
  const Toy toy;
  const json result = compared(against(toy, "bfloat16"));
  EXPECT_EQ(result["passed"], true);
  EXPECT_EQ(result["first_drift"], nullptr);
}

TEST(CompareRuns, WithTheToleranceOfFloat32Bfloat16DriftsFromTheFirstTensorOn) {
  const Toy toy;
  const Words words = against(toy, "bfloat16", {"--tolerance", "float32"});
  const json result = compared(words, 1);
  EXPECT_EQ(result["passed"], false);
  const json& first = result["first_drift"];
  EXPECT_EQ(first["kind"], "gradient");
  EXPECT_EQ(first["tensor"], kFirstParameter);
  EXPECT_EQ(first["step"], 1);
  EXPECT_GT(first["apart"], first["allowed"]);
  EXPECT_GT(result["beyond_with_first"].size(), 1u);
  for (const json& step : result["steps"]) EXPECT_EQ(step["passed"], false) << step;

  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("  beyond\n"), HasSubstr(std::string("first to drift: the gradient of ") +
                                                                kFirstParameter + " in step 1: ")));
}

// Dropout included: a device draws what a micro-batch draws.
TEST(CompareRuns, AMeshAgreesWithOneDevice) {
  const Toy toy;
  const json divided = compared(against(toy, "data=2,fsdp=2", {"--steps", "4"}));
  EXPECT_EQ(divided["second"]["mesh"], "data=2,fsdp=2");
  EXPECT_EQ(divided["steps"].size(), 4u);
  Words words = against(toy, "data=1", {"--steps", "4", "--mesh", "data=4"});
  *std::next(std::ranges::find(words, "--batch-size")) = "4";  // of each device
  const json whole = compared(words);
  EXPECT_EQ(whole["first"]["mesh"], "data=4");
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(divided["steps"][i]["loss"][1], whole["steps"][i]["loss"][0], 1e-6) << i;
  }
}

// Along tensor dropout drops what one device drops.
TEST(CompareRuns, DevicesThatShareTheirWorkAgreeWithOne) {
  const Toy toy;
  const json shared = compared(against(toy, "tensor=2", {"--steps", "4"}));
  EXPECT_EQ(shared["second"]["mesh"], "tensor=2");
  EXPECT_EQ(shared["steps"].size(), 4u);
}

// The first run has the results of an epoch of fit(): the same rows in the same order, learning rates and masks of
// dropout.
TEST(CompareRuns, TheFirstRunIsThatOfFit) {
  const Toy toy;
  const Words options = {"--epochs", "1", "--learning-rate", "1e-3", "--warmup-steps", "2", "--seed", "7"};
  const json result = compared(against(toy, "cpu", options));
  ASSERT_EQ(result["steps"].size(), 4u);
  double sum = 0;
  for (const json& step : result["steps"]) {
    sum += step["loss"][0].get<double>();
    EXPECT_EQ(step["loss"][0], step["loss"][1]);
  }
  const Finished fit = portatune(Words{"fit", "--model", tiny_bert(), "--train", toy.file("train.csv"), "--max-length",
                                     "16", "--batch-size", "16", "--output", toy.output(), "--json"} +
                               options);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_NEAR(json::parse(fit.out)["train_loss"], sum / 4, 1e-9);
}

TEST(CompareRuns, SaysWhereBothRunsAreTheSame) {
  const Toy toy;
  constexpr const char* kSame = "both runs have the same setting";
  EXPECT_THAT(portatune(against(toy, "cpu,float32", {"--steps", "1"})).err, HasSubstr(kSame));
  EXPECT_THAT(portatune(against(toy, "no-kernels", {"--steps", "1"})).err, Not(HasSubstr(kSame)));
}

TEST(CompareRuns, JsonHasEveryTensorWhereItWasFurthestApart) {
  const Toy toy;
  const json result = compared(against(toy, "no-kernels", {"--steps", "5", "--every", "2"}));
  ASSERT_EQ(result["steps"].size(), 5u);
  for (const json& step : result["steps"]) {
    EXPECT_EQ(step.contains("gradients_apart"), step["step"] != 3) << step;
  }
  ASSERT_GT(result["gradients"].size(), 10u);
  EXPECT_EQ(result["gradients"][0]["tensor"], kFirstParameter);
  // Gradients of biases of keys are 0 but for rounding, of which Adam makes whole steps.
  EXPECT_LT(result["parameters"].size(), result["gradients"].size());
  for (const json& parameter : result["parameters"]) {
    EXPECT_THAT(parameter["tensor"].get<std::string>(), Not(HasSubstr("key.bias")));
  }
}

TEST(CompareRuns, ReadsRecipesAndTasks) {
  const Toy toy;
  write(toy.file("recipe.yaml"),
        "task: masked-lm\nbatch_size: 8\nmax_length: 16\ntrain_file: " + toy.file("train.csv") + "\n");
  const json result = compared({"parity", "--recipe", toy.file("recipe.yaml"), "--model", tiny_bert(), "--against",
                                "no-kernels", "--steps", "3"});
  EXPECT_EQ(result["steps"].size(), 3u);
}

TEST(CompareRuns, ASignalEndsIt) {
  const Toy toy;
  Program program(against(toy, "no-kernels", {"--epochs", "100000", "--steps", "400000"}));
  ASSERT_TRUE(program.says("400,000 steps of 16 rows: cpu, kernels, float32; against cpu, no-kernels, float32\n"));
  program.signal(SIGINT);
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_EQ(run.out, "");
}

std::string refusal(const Words& words) {
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
  return run.err;
}

TEST(CompareRuns, WrongSettingsAreRefused) {
  const Toy toy;
  EXPECT_THAT(refusal(against(toy, "cpu,bfloat61")),
              AllOf(HasSubstr("--against"), HasSubstr("'bfloat61'"), HasSubstr("did you mean bfloat16?")));
  EXPECT_THAT(refusal(against(toy, "nokernels")), HasSubstr("did you mean no-kernels?"));
  EXPECT_THAT(refusal(against(toy, "float32,bfloat16")), HasSubstr("'float32' and 'bfloat16'"));
  EXPECT_THAT(refusal(against(toy, "cpu,")), HasSubstr("unknown word ''"));
  EXPECT_THAT(refusal(against(toy, "cuda:x")), HasSubstr("cuda:x"));
  EXPECT_THAT(refusal(against(toy, "dat=8")), HasSubstr("data"));
  EXPECT_THAT(refusal(against(toy, "data=3")), AllOf(HasSubstr("--against"), HasSubstr("steps of 16 rows")));
  EXPECT_THAT(refusal(against(toy, "cpu", {"--device", "npu"})), HasSubstr("\"npu\""));
}

TEST(CompareRuns, OptionsThatDoNotGoTogetherAreRefused) {
  const Toy toy;
  EXPECT_THAT(refusal({"parity"}), AllOf(HasSubstr("--case"), HasSubstr("--against")));
  EXPECT_THAT(refusal({"parity", "--against", "cpu", "--train", "a.csv"}), HasSubstr("no --model"));
  EXPECT_THAT(refusal({"parity", "--against", "cpu", "--model", tiny_bert()}), HasSubstr("no --train"));
  EXPECT_THAT(refusal({"parity", "--case", "case", "--against", "cpu"}), HasSubstr("--case"));
  EXPECT_THAT(refusal({"parity", "--case", "case", "--epochs", "2"}), HasSubstr("--epochs with --case"));
  EXPECT_THAT(portatune({"parity", "--case", "case", "--no-gpu-preallocate"}).err, Not(HasSubstr("with --case")));
  EXPECT_THAT(refusal(against(toy, "cpu", {"--dump", "out"})), HasSubstr("--dump"));
  EXPECT_THAT(refusal(against(toy, "cpu", {"--folds", "3"})), HasSubstr("--folds"));
  EXPECT_THAT(refusal(against(toy, "cpu", {"--resume"})), HasSubstr("--resume"));
  EXPECT_THAT(refusal(against(toy, "cpu", {"--agains", "cuda"})), HasSubstr("did you mean --against?"));
}

TEST(CompareRuns, BadDataAndAMissingPluginAreToldAsByFit) {
  const Toy toy;
  write(toy.file("train.csv"), "text,label\ngood,1\n\"bad,0\n");
  EXPECT_EQ(portatune(against(toy, "cpu")).exit_code, 65);
  write(toy.file("train.csv"), "text,label\n");
  EXPECT_EQ(portatune(against(toy, "cpu")).exit_code, 65);
  std::filesystem::remove(toy.file("train.csv"));
  EXPECT_EQ(portatune(against(toy, "cpu")).exit_code, 66);
}

}  // namespace
}  // namespace portatune::cli
