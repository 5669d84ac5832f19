// The real command portatune plan.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "runtime/pjrt/aot.h"
#include "runtime/pjrt/variable.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of tiny_bert: embeddings 63 + 32 + 2 rows of 16, a norm, a layer, a pooler; and a classifier of 2 x 16 + 2.
constexpr int64_t kParameters = 4080 + 34;
// int32 [16, 16] three times, labels and weights of 16 rows, progress, a learning rate, a key, rules of five dropouts.
constexpr int64_t kBatchBytes = 3 * 4 * 16 * 16 + 2 * 4 * 16 + (12 + 4) + 4 + 8 + 5 * 8;

// In batches of one shape, unless `more` asks for others.
Words plan(const Toy& toy, const std::string& on, const Words& more = {}) {
  const bool has_shapes = std::ranges::count(more, "--padding") + std::ranges::count(more, "--packing") > 0;
  const Words one_shape = has_shapes ? Words{} : Words{"--padding", "max_length"};
  Words words = toy.fit(more + one_shape + Words{"--on", on, "--json", "--quiet"});
  words.front() = "plan";
  return words;
}

json planned(const Words& words) {
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return json::parse(run.out);
}

void expect_memory_of_tiny_bert(const json& target) {
  const json& memory = target["memory"];
  EXPECT_EQ(memory["parameters"], 4 * kParameters);
  EXPECT_EQ(memory["optimizer"], 8 * kParameters);
  EXPECT_EQ(memory["slots"], json({{"m", 4 * kParameters}, {"v", 4 * kParameters}}));
  EXPECT_EQ(memory["batch"], kBatchBytes);
  EXPECT_GT(memory["temporaries"], 0);
  int64_t sum = 0;
  for (const char* kind : {"parameters", "optimizer", "batch", "layout", "temporaries", "code"}) {
    sum += memory[kind].is_null() ? 0 : memory[kind].get<int64_t>();  // null: the code, which few plugins report
  }
  EXPECT_EQ(memory["total"], sum);
  EXPECT_EQ(target["fits"], true);
}

void expect_consistent_time(const json& target) {
  const double seconds = target["step_seconds"];
  const double peak = target["peaks"]["float32_flops_per_second"], bandwidth = target["peaks"]["bytes_per_second"];
  const double flops = target["flops_per_step"], bytes = target["bytes_per_step"];
  EXPECT_NEAR(seconds, std::max(flops / peak, bytes / bandwidth), 1e-9 * seconds);
  EXPECT_NEAR(target["model_flops_utilization_at_most"], flops / peak / seconds, 1e-9);
}

TEST(Plan, CpuHasTheMemoryAndTheTimeOfItsStep) {
  const Toy toy;
  const json result = planned(plan(toy, "cpu"));
  EXPECT_EQ(result["examples"], 64);
  EXPECT_EQ(result["steps_per_epoch"], 4);
  EXPECT_EQ(result["batch_size"], 16);
  ASSERT_EQ(result["targets"].size(), 1u);
  const json& cpu = result["targets"][0];
  EXPECT_EQ(cpu["devices"], 1);
  expect_memory_of_tiny_bert(cpu);
  EXPECT_EQ(cpu["memory"]["layout"], 0);
  expect_consistent_time(cpu);
  EXPECT_DOUBLE_EQ(cpu["epoch_seconds"], 4 * cpu["step_seconds"].get<double>());
  EXPECT_GT(cpu["compile_seconds"], 0);
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

// Products of a forward pass for 256 tokens of 16 rows, by hand, and twice as many backward.
TEST(Plan, CountsTheProductsOfTheModel) {
  const Toy toy;
  const double dense = 256 * (4 * 2 * 16 * 16 + 2 * 2 * 16 * 32);
  const double head = 16 * (2 * 16 * 16 + 2 * 16 * 2);
  // Two products forward; five backward, of which one computes the weights of attention again.
  const double attention = (2 + 5) * 2.0 * 16 * 2 * 16 * 16 * 8;
  const json result = planned(plan(toy, "cpu", {"--dtype", "bfloat16"}));
  const json& target = result["targets"][0];
  EXPECT_DOUBLE_EQ(target["flops_per_step"], 3 * (dense + head) + attention);
}

Words plan_without_rows(const Words& more) {
  return Words{"plan", "--on", "cpu", "--model", tiny_bert(), "--max-length", "16", "--batch-size", "16"} + more;
}

TEST(Plan, WithoutRowsIsThatOfOneShape) {
  const Toy toy;
  const json with_rows = planned(plan(toy, "cpu", {"--padding", "max_length"}));
  const json result = planned(plan_without_rows({"--json", "--quiet"}));
  EXPECT_EQ(result["examples"], nullptr);
  EXPECT_EQ(result["steps_per_epoch"], nullptr);
  const json& target = result["targets"][0];
  expect_memory_of_tiny_bert(target);
  EXPECT_EQ(target["flops_per_step"], with_rows["targets"][0]["flops_per_step"]);
  EXPECT_EQ(target["epoch_seconds"], nullptr);

  const Finished run = portatune(plan_without_rows({"--steps-per-epoch", "10"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("\noptimizer       m [0-9.]+ KiB, v [0-9.]+ KiB\n"));
  EXPECT_THAT(run.err, AllOf(HasSubstr("the plan is for 2 classes"), HasSubstr("batches of one shape: "),
                             HasSubstr("input_ids int32[16, 16]")));
}

TEST(Plan, EveryTaskHasAShapeWithoutRows) {
  const auto models = [](const char* name) { return std::string(PORTATUNE_TEST_DATA) + "/models/" + name; };
  const Toy toy;
  std::filesystem::copy(models("gpt2_lm"), toy.file("gpt2"));
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(tiny_bert() + "/" + file, toy.file("gpt2/") + file);
  }
  const auto arrays_of = [](const Words& more, const std::string& model = tiny_bert()) {
    Words words = plan_without_rows(more + Words{"--json", "--quiet"});
    std::ranges::replace(words, tiny_bert(), model);
    return planned(words)["targets"][0]["shapes"][0]["batch"];
  };
  EXPECT_EQ(arrays_of({"--task", "token-classification"})["labels"], "int32[16, 16]");
  EXPECT_EQ(arrays_of({"--task", "question-answering"})["start_positions"], "int32[16]");
  EXPECT_EQ(arrays_of({"--task", "multiple-choice"})["input_ids"], "int32[16, 4, 16]");
  EXPECT_EQ(arrays_of({"--task", "masked-lm", "--next-sentence"})["next_sentence_label"], "int32[16]");
  EXPECT_EQ(arrays_of({"--head", "regression"})["labels"], "float32[16]");
  EXPECT_EQ(arrays_of({"--label-columns", "a,b,c"})["labels"], "float32[16, 3]");
  EXPECT_EQ(arrays_of({"--task", "causal-lm"}, toy.file("gpt2"))["labels"], "int32[16, 16]");
}

TEST(Plan, ATaskOfOnesOwnNeedsRows) {
  const Finished run = portatune(plan_without_rows({"--task", "qa-regression"}));
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_THAT(run.err, AllOf(HasSubstr("--train"), HasSubstr("no rows")));
}

TEST(Plan, WithoutRowsOptionsOfRowsAreRefused) {
  for (const Words& option : {Words{"--validation", "dev.csv"}, Words{"--padding", "auto=4"},
                              Words{"--packing", "exact_examples"}, Words{"--validation-split", "0.1"}}) {
    const Finished run = portatune(plan_without_rows(option));
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr(option[0] + " without --train"));
  }
}

// Neither rows nor a batch of that size is made.
TEST(Plan, AnAbsurdBatchHasAnAnswer) {
  const json result = planned({"plan", "--on", "cpu", "--model", tiny_bert(), "--max-length", "32", "--batch-size",
                               "1000000", "--json", "--quiet"});
  const json& target = result["targets"][0];
  EXPECT_EQ(target["shapes"][0]["batch"]["input_ids"], "int32[1000000, 32]");
  EXPECT_GT(target["memory"]["total"], int64_t{16} << 30);
  EXPECT_EQ(target["fits"], target["memory"]["total"] <= target["memory_capacity"]);
}

TEST(Plan, ATargetThatIsTooSlowIsNamed) {
  const Finished run = portatune(plan_without_rows({"--time-limit", "0.001"}));
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("compiling for cpu: its compiler is still being opened after "));
  EXPECT_THAT(run.out, testing::ContainsRegex("cpu +slow: .* after 0.001 s, the --time-limit\n"));
  const json result = json::parse(portatune(plan_without_rows({"--time-limit", "0.001", "--json"})).out);
  EXPECT_THAT(result["targets"][0]["slow"], HasSubstr("after 0.001 s"));
  EXPECT_EQ(result["targets"][0]["compiles"], nullptr);
}

TEST(Plan, EveryShapeOfBatchesIsCompiledAndCounted) {
  const Toy toy;
  write(toy.file("mixed.csv"), toy_csv(48) + "good,1\nbad,0\nfine,1\n");
  Words words = plan(toy, "cpu", {"--padding", "buckets=8,16"});
  std::ranges::replace(words, toy.file("train.csv"), toy.file("mixed.csv"));
  const json target = planned(words)["targets"][0];
  ASSERT_EQ(target["shapes"].size(), 2u);
  EXPECT_THAT(target["shapes"][0]["batch"]["input_ids"], "int32[16, 8]");
  EXPECT_THAT(target["shapes"][1]["batch"]["input_ids"], "int32[16, 16]");
  const int64_t short_ones = target["shapes"][0]["steps"], long_ones = target["shapes"][1]["steps"];
  EXPECT_EQ(short_ones + long_ones, 4);  // 51 examples
  EXPECT_GE(long_ones, 3);
  EXPECT_NEAR(target["epoch_seconds"],
              short_ones * target["shapes"][0]["step_seconds"].get<double>() +
                  long_ones * target["shapes"][1]["step_seconds"].get<double>(),
              1e-9);
}

TEST(Plan, PacksAsFitDoes) {
  const Toy toy;
  const json target = planned(plan(toy, "cpu", {"--packing", "exact_examples"}))["targets"][0];
  EXPECT_GE(target["shapes"].size(), 1u);
  EXPECT_TRUE(target["shapes"][0]["batch"].contains("position_ids")) << target["shapes"][0]["batch"];
}

TEST(Plan, FindsTheLargestBatch) {
  const Toy toy;
  const json target = planned(plan(toy, "cpu", {"--largest-batch"}))["targets"][0];
  EXPECT_GT(target["largest_batch"]["fits"], 16);
}

TEST(Plan, MicroBatchesAreOneStep) {
  const Toy toy;
  Words words = plan(toy, "cpu", {"--gradient-accumulation-steps", "2"});
  *(std::ranges::find(words, "--batch-size") + 1) = "8";
  const json whole = planned(plan(toy, "cpu")), parts = planned(words);
  EXPECT_EQ(parts["steps_per_epoch"], whole["steps_per_epoch"]);
  const json &of_parts = parts["targets"][0], &of_whole = whole["targets"][0];
  EXPECT_EQ(of_parts["flops_per_step"], of_whole["flops_per_step"]);
  EXPECT_EQ(of_parts["memory"]["batch"], of_whole["memory"]["batch"]);
  EXPECT_GT(of_parts["bytes_per_step"], of_whole["bytes_per_step"]);  // weights are read twice
}

TEST(Plan, PackedMicroBatchesAreOneStep) {
  const Toy toy;
  const auto flops = [&](const Words& more) -> double {
    return planned(plan(toy, "cpu", Words{"--packing", "token_budget"} + more))["targets"][0]["flops_per_step"];
  };
  const double whole = flops({"--tokens-per-batch", "64"});
  EXPECT_EQ(flops({"--tokens-per-batch", "32", "--gradient-accumulation-steps", "2"}), whole);
  EXPECT_EQ(flops({"--tokens-per-batch", "32", "--gradient-accumulation-steps", "2", "--mesh", "data=2"}), whole);
}

TEST(Plan, OfAMeshIsThatOfEachDevice) {
  const Toy toy;
  const json one = planned(plan(toy, "cpu")), found = planned(plan(toy, "cpu", {"--mesh", "fsdp=2"}));
  EXPECT_EQ(found["mesh"], "fsdp=2");
  const json &device = found["targets"][0], &whole = one["targets"][0];
  EXPECT_EQ(device["memory"]["batch"], whole["memory"]["batch"]);  // --batch-size is that of a device
  EXPECT_LT(device["memory"]["parameters"].get<double>(), 0.6 * whole["memory"]["parameters"].get<double>());
  EXPECT_EQ(found["steps_per_epoch"].get<int64_t>(), (one["steps_per_epoch"].get<int64_t>() + 1) / 2);
}

TEST(Plan, OfATensorMeshHasTheSameRowsAndLessToCompute) {
  const Toy toy;
  const json one = planned(plan(toy, "cpu")), found = planned(plan(toy, "cpu", {"--mesh", "tensor=2"}));
  EXPECT_EQ(found["mesh"], "tensor=2");
  const json &device = found["targets"][0], &whole = one["targets"][0];
  EXPECT_EQ(device["memory"]["batch"], whole["memory"]["batch"]);
  EXPECT_LT(device["memory"]["parameters"].get<double>(), 0.9 * whole["memory"]["parameters"].get<double>());
  EXPECT_LT(device["flops_per_step"].get<double>(), 0.7 * whole["flops_per_step"].get<double>());
  EXPECT_EQ(found["steps_per_epoch"], one["steps_per_epoch"]);
  const json both = planned(plan(toy, "cpu", {"--mesh", "fsdp=2,tensor=2"}));
  EXPECT_LT(both["targets"][0]["memory"]["parameters"], device["memory"]["parameters"]);
}

TEST(Plan, ATargetNeedsTheDevicesOfTheMesh) {
  const Toy toy;
  const Finished run = portatune(plan(toy, "tpu:v5e", {"--mesh", "data=8"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("at least 8 devices"), HasSubstr("tpu:v5e-8")));
}

TEST(Plan, TableHasARowForEachTarget) {
  const Toy toy;
  Words words = plan(toy, "cpu");
  std::erase(words, "--json");
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("temporaries"), HasSubstr("\ncpu             yes "), HasSubstr("time, estimated")));
}

TEST(Plan, NeedsNoOutputAndReadsRecipes) {
  const Toy toy;
  write(toy.file("recipe.yaml"), "learning_rate: 3e-5\nbatch_size: 8\nmax_length: 16\n");
  const json result = planned({"plan", "--recipe", toy.file("recipe.yaml"), "--model", tiny_bert(), "--train",
                               toy.file("train.csv"), "--on", "cpu", "--json", "--quiet"});
  EXPECT_EQ(result["steps_per_epoch"], 8);
}

TEST(Plan, TpuAddsWhatItsTilesTake) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kTpuV5e);
  const pjrt::Variable plugin("PORTATUNE_TPU_PLUGIN", pjrt::aot_plugin_file(pjrt::AotTarget::kTpuV5e).c_str());
  const Toy toy;
  const json target = planned(plan(toy, "tpu:v5e-8"))["targets"][0];
  EXPECT_EQ(target["target"], "tpu:v5e-8");
  EXPECT_EQ(target["devices"], 8);
  expect_memory_of_tiny_bert(target);
  EXPECT_GT(target["memory"]["layout"], 0);
  EXPECT_NEAR(target["memory_capacity"], 15.75 * (1 << 30), 1);
  expect_consistent_time(target);
}

TEST(Plan, GpuCompilesTheSameStep) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kCudaH100);
  const pjrt::Variable plugin("PORTATUNE_CUDA_PLUGIN", pjrt::aot_plugin_file(pjrt::AotTarget::kCudaH100).c_str());
  const Toy toy;
  const json target = planned(plan(toy, "cuda:a100-40gb"))["targets"][0];
  expect_memory_of_tiny_bert(target);
  EXPECT_EQ(target["memory_capacity"], 42331013120 / 4 * 3);
  expect_consistent_time(target);
}

TEST(Plan, SavesProgramsThatFitStartsWith) {
  const Toy toy;
  const std::string programs = toy.file("programs");
  planned(plan(toy, "cpu", {"--save", programs}));
  const auto fit = [&](const Words& more) {
    const Words one_shape = {"--padding", "max_length"};
    const Finished run = portatune(toy.fit(Words{"--epochs", "1", "--json", "--no-cache"} + one_shape + more));
    std::filesystem::remove_all(toy.output());
    return run;
  };
  const Finished compiling = fit({}), saved = fit({"--compiled", programs});
  ASSERT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_THAT(compiling.err, HasSubstr("compiled training step"));
  EXPECT_THAT(saved.err, Not(HasSubstr("compiled training step"))) << "neither the step nor the evaluation";
  EXPECT_EQ(json::parse(saved.out)["train_loss"], json::parse(compiling.out)["train_loss"]);
  EXPECT_EQ(json::parse(saved.out)["after"], json::parse(compiling.out)["after"]);

  const Finished other = fit({"--compiled", programs, "--weight-decay", "0.1"});
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_THAT(other.err, AllOf(HasSubstr("not among the saved programs"), HasSubstr("compiled training step")));

  const Finished without_kernels = fit({"--compiled", programs, "--no-kernels"});
  EXPECT_EQ(without_kernels.exit_code, 69);
  EXPECT_THAT(without_kernels.err, AllOf(HasSubstr("made with kernels"), HasSubstr("\"none\", as on this machine")));

  planned(plan(toy, "cpu", {"--save", programs, "--mesh", "data=2"}));
  const Finished on_two = fit({"--compiled", programs, "--mesh", "data=2"});
  EXPECT_EQ(on_two.exit_code, 0) << on_two.err;
  EXPECT_THAT(on_two.err, Not(HasSubstr("compiled training step")));

  json facts = json::parse(read(programs + "/programs.json"));
  facts["plugin"] = "PJRT 0.1";
  write(programs + "/programs.json", facts.dump());
  const Finished refused = fit({"--compiled", programs});
  EXPECT_EQ(refused.exit_code, 69);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("programs for cpu, made with plugin \"PJRT 0.1\""), HasSubstr("install the same")));
  EXPECT_EQ(fit({"--compiled", toy.file("nowhere")}).exit_code, 66);
  EXPECT_EQ(fit({"--compiled", ""}).exit_code, 2);
  const Finished file = fit({"--compiled", programs + "/programs.json"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("a folder that portatune plan --save has written"));
}

TEST(Plan, SavesNothingOverOtherFilesOrForTwoTargets) {
  const Toy toy;
  const Finished over = portatune(plan(toy, "cpu", {"--save", toy.path().string()}));
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_THAT(over.err, HasSubstr("which would be lost"));
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
  EXPECT_EQ(portatune(plan(toy, "cpu,tpu:v3", {"--save", toy.file("programs")})).exit_code, 2);
  // Nor where a stray file lies among programs.
  std::filesystem::create_directory(toy.file("mixed"));
  write(toy.file("mixed") + "/programs.json", "{}");
  write(toy.file("mixed") + "/notes.txt", "mine");
  EXPECT_EQ(portatune(plan(toy, "cpu", {"--save", toy.file("mixed")})).exit_code, 2);
  EXPECT_EQ(read(toy.file("mixed") + "/notes.txt"), "mine");
}

TEST(Plan, SaysThatNothingIsSaved) {
  const Toy toy;
  const pjrt::Variable plugin("PORTATUNE_TPU_PLUGIN", "/nowhere/libtpu.so");
  const Finished run = portatune(plan(toy, "tpu:v3", {"--save", toy.file("programs")}));
  EXPECT_EQ(run.exit_code, 69);
  EXPECT_THAT(run.err, AllOf(HasSubstr("nothing is saved"), HasSubstr("/nowhere/libtpu.so")));
  EXPECT_FALSE(std::filesystem::exists(toy.file("programs")));
}

TEST(Plan, SavesProgramsForADeviceThatIsNotThere) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kTpuV5e);
  const pjrt::Variable plugin("PORTATUNE_TPU_PLUGIN", pjrt::aot_plugin_file(pjrt::AotTarget::kTpuV5e).c_str());
  const Toy toy;
  planned(plan(toy, "tpu:v5e", {"--save", toy.file("programs")}));
  EXPECT_EQ(names_in(toy.file("programs")).size(), 3u) << "a step, an evaluation and what they are for";
  const Finished refused = portatune(toy.fit({"--compiled", toy.file("programs")}));
  EXPECT_EQ(refused.exit_code, 69);
  EXPECT_THAT(refused.err, HasSubstr("programs for tpu:v5e"));
}

TEST(Plan, AMissingPluginIsARow) {
  const Toy toy;
  const pjrt::Variable plugin("PORTATUNE_TPU_PLUGIN", "/nowhere/libtpu.so");
  const json result = planned(plan(toy, "tpu:v5e,cpu"));
  EXPECT_THAT(result["targets"][0]["unavailable"].get<std::string>(), HasSubstr("/nowhere/libtpu.so"));
  EXPECT_EQ(result["targets"][1]["compiles"], true);
}

TEST(Plan, WhereNothingCouldBePlannedTheExitCodeSaysSo) {
  const Toy toy;
  const pjrt::Variable plugin("PORTATUNE_TPU_PLUGIN", "/nowhere/libtpu.so");
  const Finished run = portatune(plan(toy, "tpu:v5e"));
  EXPECT_EQ(run.exit_code, 69);
  EXPECT_THAT(json::parse(run.out)["targets"][0]["unavailable"].get<std::string>(), HasSubstr("/nowhere/libtpu.so"));
}

TEST(Plan, ASignalEndsIt) {
  const Toy toy;
  for (const Words& more : {Words{}, Words{"--save", toy.file("programs")}}) {
    // Many layers, which compile for some seconds.
    Words words = plan(toy, "cpu", more + Words{"--from-config", "--config-overrides", "num_hidden_layers=12"});
    std::erase(words, "--quiet");
    Program running(words);
    ASSERT_TRUE(running.says("compiling for cpu")) << "and measuring what the machine can do";
    running.signal(SIGINT);
    const Finished run = running.wait();
    EXPECT_EQ(run.exit_code, 130) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err.find("a second signal ends it now") != std::string::npos, !more.empty()) << run.err;
    EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
  }
}

TEST(Plan, OneProcessAloneSaves) {
  const Toy toy;
  const pjrt::Variable rank("RANK", "0"), size("WORLD_SIZE", "2"), host("MASTER_ADDR", "127.0.0.1"),
      port("MASTER_PORT", "1");
  const Finished run = portatune(plan(toy, "cpu", {"--save", toy.file("programs")}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--save"), HasSubstr("2 processes")));
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

TEST(Plan, WrongTargetsAndFlagsAreRefused) {
  const Toy toy;
  const auto refusal = [&](const Words& words) {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    return run.err;
  };
  EXPECT_THAT(refusal(plan(toy, "cpu,tpu:v5x")),
              AllOf(HasSubstr("--on"), HasSubstr("'tpu:v5x'"), HasSubstr("tpu:v6e")));
  EXPECT_THAT(refusal(plan(toy, "")), AllOf(HasSubstr("--on"), HasSubstr("no target")));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--mesh", "data=100000000000"})),
              AllOf(HasSubstr("at most 1048576"), HasSubstr("256")));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--save", ""})), HasSubstr("--save"));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--folds", "3"})), HasSubstr("--folds"));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--test", "new.csv"})), HasSubstr("--folds"));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--device", "cuda"})), HasSubstr("--on"));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--resume"})), HasSubstr("--resume"));
  EXPECT_THAT(refusal(plan(toy, "cpu", {"--largest-bach"})), HasSubstr("--largest-batch"));
  Words without = toy.fit();
  without.front() = "plan";
  EXPECT_THAT(refusal(without), HasSubstr("--on"));
}

}  // namespace
}  // namespace portatune::cli
