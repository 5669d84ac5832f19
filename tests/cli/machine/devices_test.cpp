#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "runtime/pjrt/aot.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(Devices, TellsPluginVersionDevicesAndKernels) {
  const Finished run = portatune({"devices", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json facts = json::parse(run.out);
  EXPECT_EQ(facts["platform"], "cpu");
  EXPECT_THAT(facts["plugin"].get<std::string>(), testing::EndsWith("xla_cpu_pjrt.so"));
  EXPECT_THAT(facts["version"].get<std::string>(), testing::StartsWith("PJRT 0."));
  EXPECT_GE(facts["devices"].size(), 1u);
  ASSERT_EQ(facts["memory"].size(), facts["devices"].size());
  EXPECT_GT(facts["memory"][0]["in_use_bytes"], 0);
  EXPECT_GT(facts["memory"][0]["limit_bytes"], facts["memory"][0]["in_use_bytes"]);
  EXPECT_THAT(facts["kernels"].dump(), HasSubstr("portatune.linear"));
}

TEST(Devices, TableIsForPeople) {
  const Finished run = portatune({"devices", "--no-kernels"});
  EXPECT_THAT(run.out, HasSubstr("platform  cpu\n"));
  EXPECT_THAT(run.out, HasSubstr("kernels   none in use\n"));
  EXPECT_THAT(run.out, testing::ContainsRegex("memory    [0-9.]+ .iB of [0-9.]+ .iB in use\n"));
}

TEST(Devices, OptionsOfGpusAreForGpus) {
  for (const Words& words :
       {Words{"--gpu-memory-fraction", "0.5"}, Words{"--no-gpu-preallocate"}, Words{"--gpu-allocator", "platform"}}) {
    Words all = {"devices"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished run = portatune(all);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("expected  a GPU"));
  }
  EXPECT_THAT(portatune({"devices", "--gpu-memory-fraction", "0.5"}).err, HasSubstr("--gpu-memory-fraction\n"));
}

TEST(Devices, APluginOfAnotherDeviceIsNamed) {
  const std::string cpu = json::parse(portatune({"devices", "--json"}).out)["plugin"];
  const Finished of_cpu = portatune({"devices", "--device", "tpu", "--plugin", cpu});
  EXPECT_EQ(of_cpu.exit_code, 69);
  EXPECT_THAT(of_cpu.err,
              AllOf(HasSubstr("a plugin for cpu"), HasSubstr("expected  a plugin for tpu"), HasSubstr("--device cpu")));
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kTpuV5e);
  const Finished of_tpu = portatune({"devices", "--plugin", pjrt::aot_plugin_file(pjrt::AotTarget::kTpuV5e).string()});
  EXPECT_EQ(of_tpu.exit_code, 69);
  EXPECT_THAT(of_tpu.err,
              AllOf(HasSubstr("a plugin for tpu"), HasSubstr("expected  a plugin for cpu"), HasSubstr("--device tpu")));
}

TEST(Bench, TimesEachStep) {
  const Finished run = portatune(
      {"bench", "--model", tiny_bert(), "--batch-size", "4", "--max-length", "8", "--steps", "3", "--no-cache"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  ASSERT_EQ(result["step_seconds"].size(), 3u);
  for (const double seconds : result["step_seconds"]) EXPECT_GT(seconds, 0);
  EXPECT_GT(result["compile_seconds"], 0);
  EXPECT_EQ(result["from_cache"], false);
}

TEST(Bench, NeedsNoWeightsWithAConfig) {
  const Toy toy;
  const std::filesystem::path folder = toy.copy_of_model();
  std::filesystem::remove(folder / "model.safetensors");
  const Finished run = portatune({"bench", "--from-config", "--model", folder.string(), "--batch-size", "2",
                                  "--max-length", "8", "--steps", "1", "--no-cache"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["step_seconds"].size(), 1U);
}

}  // namespace
}  // namespace portatune::cli
