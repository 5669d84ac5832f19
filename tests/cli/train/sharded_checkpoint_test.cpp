// Checkpoints that several processes write.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/io/safetensors/tensor_files.h"
#include "train/renew_manifest.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;

Finished portatune_in(int processes, const Words& words) { return portatune(words, {.processes = processes}); }

class ShardedCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(PORTATUNE_COMMAND).parent_path() / "libportatune_mpi.so"))
      GTEST_SKIP() << "built without MPI";
  }

  // With small steps, so that the order of sums matters little.
  Words fit(const std::string& mesh, const std::string& batch_size, const std::string& epochs = "5") const {
    Words words = with_batch_size(
        toy_.fit({"--mesh", mesh, "--lr-scheduler-type", "constant", "--epochs", epochs, "--json"}), batch_size);
    *std::next(std::ranges::find(words, "--learning-rate")) = "1e-4";
    return words;
  }
  // Kills one of such a run, but a long one, when it has written checkpoint-5, which it returns.
  fs::path checkpoint_of(int processes, Words words) const {
    *std::next(std::ranges::find(words, "--epochs")) = "1000";
    Program run(words + Words{"--checkpoint-every", "5", "--keep-checkpoints", "1000"}, {.processes = processes});
    EXPECT_TRUE(run.says("checkpoint-5"));
    kill(processes == 0 ? run.pid() : run.processes().at(0), SIGKILL);
    run.wait();
    return fs::path(toy_.output()) / "checkpoint-5";
  }
  std::string weights() const { return read(toy_.output() + "/model.safetensors"); }
  void keep_only(const fs::path& checkpoint) const {
    for (const std::string& name : names_in(toy_.output())) {
      if (name != checkpoint.filename()) fs::remove_all(fs::path(toy_.output()) / name);
    }
  }

  const Toy toy_;
};

TEST_F(ShardedCheckpoint, IsGoneOnFromByAnyNumberOfProcesses) {
  struct Case {
    int processes;
    const char *mesh, *batch_size;
    int others;
    const char* other_mesh;
  };
  for (const Case& c : {Case{2, "data=2", "8", 0, "fsdp=2"}, Case{2, "tensor=2", "16", 0, "data=1"},
                        Case{4, "fsdp=2,tensor=2", "8", 2, "fsdp=2"}, Case{2, "fsdp=2", "8", 4, "data=2,tensor=2"}}) {
    SCOPED_TRACE(c.mesh);
    const Words words = fit(c.mesh, c.batch_size);
    const Finished whole = portatune_in(c.processes, words);
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    const std::string wanted = weights();
    fs::remove_all(toy_.output());

    const fs::path checkpoint = checkpoint_of(c.processes, words);
    const std::string count = "of-0000" + std::to_string(c.processes) + ".safetensors";
    EXPECT_THAT(names_in(checkpoint),
                IsSupersetOf({std::string("config.json"), "model-00001-" + count, "model-00002-" + count,
                              std::string("model.safetensors.index.json"), "optimizer-00001-" + count,
                              "optimizer-00002-" + count, std::string("optimizer.safetensors.index.json"),
                              std::string("training_state.json"), std::string("vocab.txt")}));
    EXPECT_FALSE(fs::exists(checkpoint / "model.safetensors"));
    keep_only(checkpoint);
    fs::copy(toy_.output(), toy_.file("kept"), fs::copy_options::recursive);

    const Finished again = portatune_in(c.processes, words + Words{"--resume"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(weights(), wanted);
    EXPECT_TRUE(fs::exists(toy_.output() + "/model.safetensors"));  // a model is one file

    fs::remove_all(toy_.output());
    fs::rename(toy_.file("kept"), toy_.output());
    Words other = words;
    *std::next(std::ranges::find(other, "--mesh")) = c.other_mesh;
    const Finished others = portatune_in(c.others, other + Words{"--resume", "--allow-different-bits"});
    EXPECT_EQ(others.exit_code, 0) << others.err;
    EXPECT_NEAR(json::parse(others.out)["after"]["loss"].get<double>(),
                json::parse(whole.out)["after"]["loss"].get<double>(), 1e-4);
    fs::remove_all(toy_.output());
  }
}

TEST_F(ShardedCheckpoint, IsAModelForOtherCommands) {
  const Words words = fit("fsdp=2", "8");
  const fs::path sharded = checkpoint_of(2, words);
  const auto loss_of = [&](const std::string& model) {
    const Finished run = portatune(
        {"evaluate", "--model", model, "--data", toy_.file("validation.csv"), "--max-length", "16", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out)["loss"].get<double>();
  };
  const double found = loss_of(sharded);
  fs::rename(toy_.output(), toy_.file("sharded"));
  EXPECT_NEAR(found, loss_of(checkpoint_of(0, words)), 1e-5);
}

TEST_F(ShardedCheckpoint, SaysWhatIsMissing) {
  const Words words = fit("data=2", "8");
  const fs::path checkpoint = checkpoint_of(2, words);
  keep_only(checkpoint);
  const fs::path shard = checkpoint / "optimizer-00002-of-00002.safetensors";
  const auto refusal = [&] {
    const Finished run = portatune_in(2, words + Words{"--resume"});
    EXPECT_EQ(run.exit_code, 65) << run.err;
    return run.err;
  };
  const auto refusal_behind_the_manifest = [&] {
    test::renew_manifest(checkpoint);
    return refusal();
  };
  test::flip_a_bit(checkpoint / "model-00002-of-00002.safetensors");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("model-00002-of-00002.safetensors"), HasSubstr("damaged data")));
  test::flip_a_bit(checkpoint / "model-00002-of-00002.safetensors");
  fs::rename(shard, toy_.file("shard"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr(shard.filename().string()), HasSubstr("no such file")));
  EXPECT_THAT(refusal_behind_the_manifest(),
              AllOf(HasSubstr("optimizer.safetensors.index.json"), HasSubstr(shard.filename().string()),
                    HasSubstr("missing from the folder")));
  fs::rename(toy_.file("shard"), shard);
  const fs::path index = checkpoint / "optimizer.safetensors.index.json";
  const json saved = json::parse(read(index));
  json changed = saved;
  for (auto& [tensor, file] : changed["weight_map"].items()) file = shard.filename();
  write(index, changed.dump());
  EXPECT_THAT(refusal_behind_the_manifest(), AllOf(HasSubstr(shard.filename().string()), HasSubstr("no tensor")));
  write(index, saved.dump());
  test::renew_manifest(checkpoint);
  EXPECT_EQ(portatune_in(2, words + Words{"--resume"}).exit_code, 0);
}

// The row comes once an epoch.
TEST_F(ShardedCheckpoint, IsGoneBackToByAllProcesses) {
  const Words words =
      toy_.fit_of_an_overflow({"--mesh", "fsdp=2", "--on-non-finite", "rewind", "--checkpoint-every", "1", "--json"});
  const auto loss_in = [&](int processes) {
    const Finished run = portatune_in(processes, words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const json result = json::parse(run.out);
    EXPECT_EQ(result["rewinds"], 3);
    fs::remove_all(toy_.output());
    return result["train_loss"].get<double>();
  };
  EXPECT_NEAR(loss_in(2), loss_in(0), 1e-5);
}

// The file size limit of one process acts as a disk that is full for a while.
TEST_F(ShardedCheckpoint, IsTriedAgainWhereOneProcessCouldNotWrite) {
  const Words words = fit("data=2", "8", "30") + Words{"--checkpoint-every", "5"};
  Program run(words, {.processes = 2});
  ASSERT_TRUE(run.says("checkpoint-5"));
  const std::vector<pid_t> processes = run.processes();
  ASSERT_EQ(processes.size(), 2);
  const auto limit_files_to = [&](rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    return prlimit(processes[1], RLIMIT_FSIZE, &limit, nullptr);
  };
  ASSERT_EQ(limit_files_to(8192), 0);
  ASSERT_TRUE(run.says("warning: there is no checkpoint of step "));
  ASSERT_EQ(limit_files_to(RLIM_INFINITY), 0);
  const Finished whole = run.wait();
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err,
              AllOf(HasSubstr("process 1 of 2, "), HasSubstr("00002-of-00002"), HasSubstr("File too large")));
  const size_t warned = whole.err.rfind("warning: there is no checkpoint");
  EXPECT_NE(whole.err.find("saved " + toy_.output() + "/checkpoint-", warned), std::string::npos) << whole.err;
  const std::vector<std::string> left = names_in(toy_.output());
  EXPECT_TRUE(std::ranges::none_of(left, [](const std::string& name) { return name.starts_with("tmp."); }));
}

TEST_F(ShardedCheckpoint, IsWholeWheneverAProcessIsKilled) {
  const Words words = fit("fsdp=2", "8", "1000") + Words{"--checkpoint-every", "1", "--keep-checkpoints", "3"};
  for (int round = 0; round < 6; ++round) {
    Program run(words + Words{"--resume"}, {.processes = 2});
    ASSERT_TRUE(run.says("saved "));
    ASSERT_TRUE(run.makes(toy_.output(), "tmp.checkpoint-"));
    const std::vector<pid_t> processes = run.processes();
    ASSERT_EQ(processes.size(), 2);
    usleep(static_cast<useconds_t>(1500 * round));
    kill(processes[static_cast<size_t>(round % 2)], SIGKILL);
    EXPECT_NE(run.wait().exit_code, 0);
    int checkpoints = 0;
    for (const std::string& name : names_in(toy_.output())) {
      if (!name.starts_with("checkpoint-")) continue;
      const fs::path checkpoint = fs::path(toy_.output()) / name;
      for (const char* stem : {"model", "optimizer"})
        EXPECT_EQ(io::open_tensor_files(checkpoint, stem).size(), 2) << name;
      EXPECT_TRUE(fs::exists(checkpoint / "training_state.json"));
      ++checkpoints;
    }
    EXPECT_GE(checkpoints, 1);
  }
}

}  // namespace
}  // namespace portatune::cli
