// Training in processes that have several devices each, as GPUs of several machines are. There are none here: the
// plugin is the CPU's, behind tests/runtime/pjrt/cluster_plugin.cpp.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "runtime/pjrt/variable.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Cluster : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "libportatune_gloo.so")) {
      GTEST_SKIP() << "built without Gloo";
    }
    std::filesystem::path model = toy_.copy_of_model();
    json config = json::parse(read(model / "config.json"));
    for (const char* name : {"hidden_dropout_prob", "attention_probs_dropout_prob"}) config[name] = 0;
    write(model / "config.json", config.dump());
  }

  // Without dropout, whose masks differ with the number of devices.
  Words fit(const std::string& output, const Words& more) const {
    Words words = toy_.fit(more);
    *std::next(std::ranges::find(words, "--model")) = toy_.file("model");
    *std::next(std::ranges::find(words, "--output")) = toy_.file(output);
    return words;
  }

  std::string weights(const std::string& output) const { return read(toy_.file(output) + "/model.safetensors"); }

  const Toy toy_;
  const pjrt::Variable plugin_{"PORTATUNE_CUDA_PLUGIN", CLUSTER_PLUGIN};
  // Numbers of GPUs that no machine has, so that GPUs of several machines are not known to be the same.
  const pjrt::Variable gpus_{"CUDA_VISIBLE_DEVICES", "100,101"};
};

constexpr int kMachines = 2;

Finished on_machines(const Words& words) { return portatune(words, {.processes = kMachines, .by = By::kEnvironment}); }

// To the bit: the devices compute the same, whosever they are.
TEST_F(Cluster, TrainsToWhatOneMachineTrainsTo) {
  struct Case {
    const char *mesh, *batch_size, *device_of_one = "cuda:0,1,2,3";
  };
  for (const Case& c : {Case{"data=4", "3"}, Case{"fsdp=4", "3"}, Case{"data=2,fsdp=2", "3"},
                        Case{"fsdp=2,tensor=2", "6"}, Case{"tensor=2", "12", "cuda:0,1"}}) {
    const auto words = [&](const char* output, const char* device) {
      return with_batch_size(fit(output, {"--epochs", "2", "--mesh", c.mesh, "--json", "--device", device}),
                             c.batch_size);
    };
    const Finished alone = portatune(words("alone", c.device_of_one));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const Finished together = on_machines(words("together", "cuda"));
    ASSERT_EQ(together.exit_code, 0) << together.err;
    const json wanted = json::parse(alone.out), found = json::parse(together.out);  // which one process has printed
    EXPECT_EQ(found["train_loss"], wanted["train_loss"]) << c.mesh;
    EXPECT_EQ(found["after"], wanted["after"]) << c.mesh;
    EXPECT_TRUE(weights("together") == weights("alone")) << c.mesh;
    for (const char* output : {"alone", "together"}) std::filesystem::remove_all(toy_.file(output));
  }
}

TEST_F(Cluster, TrainsToWhatTheCpuTrainsTo) {
  const Finished cpu = portatune(with_batch_size(fit("cpu", {"--epochs", "2", "--json"}), "12"));
  ASSERT_EQ(cpu.exit_code, 0) << cpu.err;
  // All devices of all machines by themselves.
  const Finished run = on_machines(with_batch_size(fit("run", {"--epochs", "2", "--json", "--device", "cuda"}), "3"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json wanted = json::parse(cpu.out), found = json::parse(run.out);
  EXPECT_EQ(found["steps"], wanted["steps"]);
  EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-5);
  EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 1e-5);
}

TEST_F(Cluster, GoesOnFromACheckpointToTheSameBits) {
  const Words more = {"--epochs", "6", "--mesh", "fsdp=4", "--device", "cuda", "--checkpoint-every", "3"};
  const Finished whole = on_machines(with_batch_size(fit("whole", more), "3"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Words words = with_batch_size(fit("run", more), "3");
  Program first(words, {.processes = kMachines, .by = By::kEnvironment});
  ASSERT_TRUE(first.says("checkpoint-6"));
  ASSERT_EQ(first.processes().size(), kMachines);
  kill(first.processes()[1], SIGKILL);
  const Finished killed = first.wait();
  EXPECT_NE(killed.exit_code, 0);
  EXPECT_THAT(killed.err, HasSubstr("process 1 has: it was killed"));
  const Finished resumed = on_machines(words + Words{"--resume"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resuming from"));
  EXPECT_TRUE(weights("run") == weights("whole"));
}

// MPI informs the processes that they are on one machine, and gives them the address of the store.
TEST_F(Cluster, DividesTheGpusOfAMachineAmongTheProcessesOfMpirun) {
  if (!std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "libportatune_mpi.so")) {
    GTEST_SKIP() << "built without MPI";
  }
  const pjrt::Variable gpus("CUDA_VISIBLE_DEVICES", "100,101,102,103");
  const Words more = {"--epochs", "1", "--json", "--device", "cuda"};
  const Finished run = portatune(with_batch_size(fit("run", more), "3"), {.processes = 2});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Finished alone = portatune(with_batch_size(fit("alone", more + Words{"--mesh", "data=4"}), "3"));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(json::parse(run.out)["train_loss"], json::parse(alone.out)["train_loss"]);
  EXPECT_TRUE(weights("run") == weights("alone"));
}

TEST_F(Cluster, SaysThatThePluginCountsTheProcessesOtherwise) {
  const pjrt::Variable backwards("CLUSTER_COUNTS_BACKWARDS", "1");
  const Finished run = on_machines(fit("run", {"--device", "cuda"}));
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("devices that the plugin assigns to process 1"));
}

// GPUs are given by name here; process_gpus_test.cpp tests numbers, where the machine has such GPUs.
TEST_F(Cluster, RefusesOneGpuForTwoProcesses) {
  const pjrt::Variable gpus("CUDA_VISIBLE_DEVICES", "GPU-1,GPU-2");
  for (const char* device : {"cuda", "cuda:1"}) {
    const Finished run = on_machines(fit("run", {"--device", device}));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("one GPU for process 0 and for process 1"));
  }
}

TEST_F(Cluster, RefusesMeshesThatTheProcessesDoNotDivide) {
  const auto error_of = [&](const Words& more) {
    const Finished run = on_machines(fit("run", more));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(error_of({"--device", "cuda", "--mesh", "data=3"}),
              HasSubstr("devices that the processes divide equally"));
  EXPECT_THAT(error_of({"--device", "cuda", "--mesh", "data=8"}), HasSubstr("a mesh of 4 devices"));
  EXPECT_THAT(error_of({"--device", "cuda:0,1", "--mesh", "data=2"}), HasSubstr("a mesh of 4 devices"));
  EXPECT_THAT(error_of({"--device", "tpu"}), HasSubstr("2 processes that have TPUs"));
}

}  // namespace
}  // namespace portatune::cli
