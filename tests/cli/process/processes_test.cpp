// Training in several processes, which MPI brings together, or what the environment says.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/runtime/processes/key_value_server.h"
#include "portatune/runtime/processes/key_value_store.h"
#include "portatune/runtime/processes/session.h"
#include "runtime/pjrt/variable.h"
#include "runtime/processes/free_port.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The folder of a model like tiny_bert() that drops nothing: masks differ with the number of devices.
std::string model_without_dropout(const Toy& toy) {
  const std::filesystem::path model = toy.copy_of_model();
  json config = json::parse(read(model / "config.json"));
  for (const char* name : {"hidden_dropout_prob", "attention_probs_dropout_prob"}) config[name] = 0;
  write(model / "config.json", config.dump());
  return model;
}

void skip_without_plugin_of(By by) {
  const char* plugin = by == By::kMpirun ? "libportatune_mpi.so" : "libportatune_gloo.so";
  if (!std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / plugin)) {
    GTEST_SKIP() << "built without " << plugin;
  }
}

struct ProcessesByMpirun : testing::Test {
  void SetUp() override { skip_without_plugin_of(By::kMpirun); }
};
struct ProcessesByEnvironment : testing::Test {
  void SetUp() override { skip_without_plugin_of(By::kEnvironment); }
};

// By each way of starting them.
class RunOfProcesses : public testing::TestWithParam<By> {
 protected:
  void SetUp() override { skip_without_plugin_of(GetParam()); }

  static Conditions in(int processes, const Words& last = {}) {
    return {.processes = processes, .by = GetParam(), .last = last};
  }
  static Finished portatune_in(int processes, const Words& words, const Words& last = {}) {
    return portatune(words, in(processes, last));
  }
};
std::string name_of(const testing::TestParamInfo<By>& launch) {
  return launch.param == By::kMpirun ? "ByMpirun" : "ByEnvironment";
}
INSTANTIATE_TEST_SUITE_P(All, RunOfProcesses, testing::Values(By::kMpirun, By::kEnvironment), name_of);

TEST_P(RunOfProcesses, TrainToWhatOneTrainsTo) {
  const Toy toy;
  const std::string model = model_without_dropout(toy);
  const auto words_of = [&](const std::string& output, const std::string& batch_size, const Words& more) {
    return Words{"fit",
                 "--model",
                 model,
                 "--train",
                 toy.file("train.csv"),
                 "--validation",
                 toy.file("validation.csv"),
                 "--output",
                 toy.file(output),
                 "--max-length",
                 "16",
                 "--epochs",
                 "2",
                 "--json",
                 "--batch-size",
                 batch_size} +
           more;
  };
  const Finished alone = portatune(words_of("alone", "12", {}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const json wanted = json::parse(alone.out);
  const auto expect_the_same = [&](int processes, const std::string& batch_size, const Words& more) {
    const Finished run = portatune_in(processes, words_of("together", batch_size, more));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json found = json::parse(run.out);  // which one process alone has printed
    EXPECT_EQ(found["steps"], wanted["steps"]);
    EXPECT_NEAR(found["train_loss"].get<double>(), wanted["train_loss"].get<double>(), 1e-5);
    EXPECT_NEAR(found["after"]["loss"].get<double>(), wanted["after"]["loss"].get<double>(), 1e-5);
    EXPECT_EQ(names_in(toy.file("together")), names_in(toy.file("alone")));
    std::filesystem::remove_all(toy.file("together"));
  };
  expect_the_same(2, "6", {});
  expect_the_same(4, "3", {"--mesh", "fsdp=4"});
  expect_the_same(4, "3", {"--mesh", "data=2,fsdp=2", "--no-kernels"});
  expect_the_same(2, "12", {"--mesh", "tensor=2"});
  expect_the_same(4, "3", {"--mesh", "fsdp=2,tensor=2", "--gradient-accumulation-steps", "2", "--remat", "layers"});
  expect_the_same(2, "2", {"--mesh", "fsdp=2", "--gradient-accumulation-steps", "3", "--remat", "layers"});
}

// The highest loss counts as the best score, and no change is large enough to be an improvement.
TEST_P(RunOfProcesses, SaveTheBestModelAndStopEarly) {
  const Toy toy;
  const Finished run = portatune_in(
      2, with_batch_size(toy.fit({"--epochs", "4", "--json", "--eval-steps", "2", "--load-best-model-at-end",
                                  "--greater-is-better", "--early-stopping-patience", "2", "--early-stopping-threshold",
                                  "1e9", "--keep-checkpoints", "5"}),
                         "8"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json found = json::parse(run.out);
  EXPECT_EQ(found["steps"], 6);
  EXPECT_TRUE(found["stopped_early"]);
  EXPECT_LT(found["model_step"], 6);
  const Finished evaluation =
      portatune({"evaluate", "--model", toy.output(), "--data", toy.file("validation.csv"), "--json"});
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_NEAR(found["after"]["loss"].get<double>(), json::parse(evaluation.out)["loss"].get<double>(), 1e-5);
}

// As two virtual devices of one process do, with the same rows and masks; no kernel computes in float16.
TEST_P(RunOfProcesses, GatherWeightsInSixteenBits) {
  const Toy toy;
  for (const char* dtype : {"bfloat16", "float16"}) {
    const auto words_to = [&](const char* output) {
      return Words{"fit",
                   "--model",
                   tiny_bert(),
                   "--train",
                   toy.file("train.csv"),
                   "--max-length",
                   "16",
                   "--epochs",
                   "2",
                   "--batch-size",
                   "4",
                   "--mesh",
                   "fsdp=2",
                   "--dtype",
                   dtype,
                   "--json",
                   "--output",
                   toy.file(output)};
    };
    const Finished alone = portatune(words_to("alone")), together = portatune_in(2, words_to("together"));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    ASSERT_EQ(together.exit_code, 0) << together.err;
    EXPECT_NEAR(json::parse(together.out)["train_loss"].get<double>(),
                json::parse(alone.out)["train_loss"].get<double>(), 1e-6);
    for (const char* output : {"alone", "together"}) std::filesystem::remove_all(toy.file(output));
  }
}

TEST_P(RunOfProcesses, EndWithTheOneThatIsKilledAndGoOnFromItsCheckpoint) {
  const Toy toy;
  const Words words = with_batch_size(toy.fit({"--epochs", "400", "--mesh", "fsdp=2", "--checkpoint-every", "5"}), "4");
  Program first(words, in(2));
  ASSERT_TRUE(first.says("checkpoint-10"));
  const std::vector<pid_t> processes = first.processes();
  ASSERT_EQ(processes.size(), 2);
  kill(processes[1], SIGKILL);
  const Finished killed = first.wait();
  EXPECT_NE(killed.exit_code, 0);
  EXPECT_THAT(killed.err, HasSubstr(GetParam() == By::kMpirun ? "rank 1" : "process 1 has: it was killed"));
  Program second(words + Words{"--resume"}, in(2));
  EXPECT_TRUE(second.says("resuming from"));
  EXPECT_TRUE(second.says("epoch "));
  // One is enough, and it need not be the first.
  ASSERT_EQ(second.processes().size(), 2);
  kill(second.processes()[1], SIGTERM);
  const Finished stopped = second.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by a signal to another process"));
  EXPECT_THAT(stopped.err, HasSubstr("in 2 processes"));
  // On as many devices that are no processes.
  Program third(words + Words{"--resume", "--allow-different-bits"});
  EXPECT_TRUE(third.says("resuming from"));
  EXPECT_TRUE(third.says("epoch "));
}

TEST_P(RunOfProcesses, RefuseOtherRowsThanThoseOfTheFirst) {
  const Toy toy;
  write(toy.file("other.csv"), toy_csv(36) + "one more,1\n");
  const Words words = toy.fit({"--epochs", "1"});
  const auto with_other = [&](const char* name) {
    Words other = words;
    *std::ranges::find(other, toy.file(name)) = toy.file("other.csv");
    return portatune_in(2, words, other);
  };
  // As many as for a validation, the last ones others.
  const Finished validation = with_other("validation.csv");
  EXPECT_EQ(validation.exit_code, 65) << validation.err;
  EXPECT_THAT(validation.err, HasSubstr("process 0 of 2"));
  EXPECT_THAT(validation.err, HasSubstr("different batches in process 1"));
  const Finished training = with_other("train.csv");
  EXPECT_EQ(training.exit_code, 2) << training.err;
  EXPECT_THAT(training.err, HasSubstr("training files"));
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/config.json"));
}

TEST_P(RunOfProcesses, RefuseAnotherModelThanThatOfTheFirst) {
  const Toy toy;
  Words words = toy.fit({"--epochs", "1", "--seed", "1"});
  Words other = words;
  other.back() = "2";  // draws other weights for the head
  const Finished run = portatune_in(2, words, other);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--seed"));
  const std::string model = toy.file("tiny_bert");  // of the same name, which processes compare too
  std::filesystem::rename(toy.copy_of_model(), model);
  other = words;
  *std::ranges::find(other, tiny_bert()) = model;
  std::string weights = read(model + "/model.safetensors");
  weights.back() ^= 1;
  write(model + "/model.safetensors", weights);
  const Finished changed = portatune_in(2, words, other);
  EXPECT_EQ(changed.exit_code, 65) << changed.err;
  EXPECT_THAT(changed.err, HasSubstr("weights other than those of process 0"));
}

// The options have no effect on weights or batches: without the check, the others would wait for process 0.
TEST_P(RunOfProcesses, RefuseOtherOptionsThanThoseOfTheFirst) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", "2"});
  const auto refusal = [&](const Words& more) {
    const Finished run = portatune_in(2, words, words + more);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(refusal({"--checkpoint-every", "3"}),
              AllOf(HasSubstr("--checkpoint-every"), HasSubstr("different values in process 1 and process 0")));
  EXPECT_THAT(refusal({"--max-steps", "3"}), HasSubstr("--max-steps"));
  EXPECT_THAT(refusal({"--device", "cuda"}), HasSubstr("of another in process 1"));
  Words fewer = words;
  *std::ranges::find(fewer, "2") = "1";
  const Finished run = portatune_in(2, words, fewer);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--epochs"));
  // Output for the user may differ between processes, and a recipe may replace options of the command line.
  write(toy.file("epochs.yaml"), "epochs: 2\n");
  Words recipe = toy.fit({"--recipe", toy.file("epochs.yaml"), "--quiet"});
  EXPECT_EQ(portatune_in(2, words, recipe).exit_code, 0);
}

TEST_P(RunOfProcesses, EndWithTheOneThatFails) {
  const Toy toy;
  Words words = toy.fit({"--epochs", "400"});
  Words other = words;
  *std::ranges::find(other, toy.file("train.csv")) = toy.file("none.csv");
  const Finished run = portatune_in(2, words, other);
  EXPECT_EQ(run.exit_code, 66) << run.err;
  EXPECT_THAT(run.err, HasSubstr("process 1 of 2"));
  // Files of the failed run do not impede the next one.
  EXPECT_EQ(portatune_in(2, toy.fit({"--epochs", "1"})).exit_code, 0);
}

TEST_P(RunOfProcesses, StopTogetherWhereAStepIsNotFinite) {
  const Toy toy;
  const Words words = toy.fit_of_an_overflow({"--mesh", "fsdp=2"});
  const Finished stopped = portatune_in(2, words);
  EXPECT_EQ(stopped.exit_code, 76) << stopped.err;
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("first non-finite value: the loss"), HasSubstr("tuned/checkpoint-1")));
  const Finished resumed = portatune_in(2, words + Words{"--resume", "--on-non-finite", "skip"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

// mpirun passes SIGUSR1 on to the processes.
TEST_P(RunOfProcesses, StopAtSigusr1) {
  const Toy toy;
  Program run(toy.fit({"--epochs", "400"}), in(2));
  ASSERT_TRUE(run.says("epoch 2/"));
  run.signal(SIGUSR1);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGUSR1"));
}

TEST_F(ProcessesByMpirun, SayThatMpiSeesFewerThanWereStarted) {
  const Toy toy;
  const pjrt::Variable launcher("OMPI_COMM_WORLD_SIZE", "2");
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 of 2 processes"));
}

TEST_P(RunOfProcesses, SayThatThePluginIsMissing) {
  const Toy toy;
  const pjrt::Variable mpi("PORTATUNE_MPI_PLUGIN", "/nowhere/libportatune.so");
  const pjrt::Variable gloo("PORTATUNE_GLOO_PLUGIN", "/nowhere/libportatune.so");
  const Finished run = portatune_in(2, toy.fit());
  EXPECT_EQ(run.exit_code, 69);
  EXPECT_THAT(run.err, HasSubstr("/nowhere/libportatune.so"));
}

TEST_F(ProcessesByEnvironment, SayThatNobodyAnswers) {
  const Toy toy;
  const pjrt::Variable timeout("PORTATUNE_LAUNCH_TIMEOUT_S", "1");
  const pjrt::Variable rank("RANK", "1"), size("WORLD_SIZE", "2"), host("MASTER_ADDR", "127.0.0.1"),
      port("MASTER_PORT", "1");
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("127.0.0.1:1"), HasSubstr("no answer within 1 s")));
}

TEST_F(ProcessesByEnvironment, SayWhoDoesNotCome) {
  const Toy toy;
  const auto start = std::chrono::steady_clock::now();
  const std::string free_port = std::to_string(test::free_port());
  const pjrt::Variable timeout("PORTATUNE_LAUNCH_TIMEOUT_S", "1");
  const pjrt::Variable rank("RANK", "0"), size("WORLD_SIZE", "2"), host("MASTER_ADDR", "127.0.0.1"),
      port("MASTER_PORT", free_port.c_str());
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("process 0 of 2: the launch\n"), HasSubstr("process 1 has not joined within 1 s")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8))
      << "the process still waits for the others";
}

// The wait of the other processes may end before that of the first one.
TEST_F(ProcessesByEnvironment, TheOthersAlsoSayWhoDoesNotCome) {
  const Toy toy;
  const KeyValueServer server(3, 0);  // a process 0 that never answers
  const TcpKeyValueStore first("127.0.0.1", server.port(), std::chrono::seconds(5));
  const pjrt::Variable timeout("PORTATUNE_LAUNCH_TIMEOUT_S", "1");
  const pjrt::Variable rank("RANK", "1"), size("WORLD_SIZE", "3"), host("MASTER_ADDR", "127.0.0.1"),
      port("MASTER_PORT", std::to_string(server.port()).c_str());
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("processes 0, 2 have not joined"), HasSubstr("PORTATUNE_LAUNCH_TIMEOUT_S"),
                             Not(HasSubstr("GLOO_SOCKET_IFNAME"))));
}

TEST_F(ProcessesByEnvironment, AreLeftInPeaceByOtherCommands) {
  const KeyValueServer server(2, 0);
  const pjrt::Variable rank("RANK", "1"), size("WORLD_SIZE", "2"), host("MASTER_ADDR", "127.0.0.1"),
      port("MASTER_PORT", std::to_string(server.port()).c_str());
  for (const Words& words : {Words{"--help"}, Words{"--version"}, Words{"devices"}, Words{"plugin", "list"}}) {
    EXPECT_EQ(portatune(words).exit_code, 0) << words[0];
  }
  EXPECT_EQ(portatune({"tokenize", "--no-such-option"}).exit_code, 2);
  EXPECT_EQ(portatune({"tokenize", "--tokenizer", tiny_bert(), "--input", "a", "--output", "b"}).exit_code, 2);
  TcpKeyValueStore store("127.0.0.1", server.port(), std::chrono::seconds(5));
  EXPECT_FALSE(store.get(joined_key(1), std::chrono::milliseconds(0)));
}

TEST_F(ProcessesByEnvironment, AStrayVariableIsNoErrorOfOtherCommands) {
  const pjrt::Variable rank("RANK", "1");
  EXPECT_EQ(portatune({"--help"}).exit_code, 0);
  const Finished run = portatune({"fit", "--help"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(ProcessesByEnvironment, SayWhatIsMissingOfALaunch) {
  const Toy toy;
  const pjrt::Variable rank("RANK", "1"), size("WORLD_SIZE", "2"), host("MASTER_ADDR", "127.0.0.1");
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("WORLD_SIZE without MASTER_PORT"));
}

TEST_P(RunOfProcesses, AreRefusedWhereTheyDoNotWorkTogether) {
  const Toy toy;
  const auto error_of = [&](const Words& words) {
    const Finished run = portatune_in(2, words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    return run.err;
  };
  EXPECT_THAT(error_of(toy.fit({"--mesh", "data=4"})), HasSubstr("as many as the mesh has devices: 4"));
  EXPECT_THAT(error_of({"tokenize", "--tokenizer", tiny_bert(), "--input", toy.file("validation.csv")}),
              HasSubstr("several work together in fit"));
  // The first process reports a fault that all processes find.
  EXPECT_THAT(error_of(toy.fit({"--mesh", "ring=2"})), Not(HasSubstr("process 1 of 2")));
}

}  // namespace
}  // namespace portatune::cli
