#include "portatune/runtime/processes/launch.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <string>

#include "portatune/error.h"

namespace portatune {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

Launch launch_in(const Environment& environment, bool on_tpu = false) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE",
                           "PMI_SIZE",
                           "PMIX_RANK",
                           "SLURM_STEP_NUM_TASKS",
                           "SLURM_NTASKS",
                           "RANK",
                           "WORLD_SIZE",
                           "MASTER_ADDR",
                           "MASTER_PORT",
                           "SLURM_PROCID",
                           "TPU_WORKER_ID",
                           "TPU_WORKER_HOSTNAMES",
                           "LOCAL_RANK",
                           "LOCAL_WORLD_SIZE",
                           "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE",
                           "SLURM_LOCALID",
                           "SLURM_STEP_TASKS_PER_NODE",
                           "SLURM_NODEID",
                           "TORCHELASTIC_USE_AGENT_STORE"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const auto forget = [&] {
    for (const auto& [name, value] : environment) unsetenv(name.c_str());
  };
  try {
    const Launch launch = find_launch(on_tpu);
    forget();
    return launch;
  } catch (...) {
    forget();
    throw;
  }
}

std::string error_in(const Environment& environment, bool on_tpu = false) {
  try {
    launch_in(environment, on_tpu);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Launch, RecognisesMpiLaunchers) {
  for (const Environment& environment : {Environment{{"OMPI_COMM_WORLD_SIZE", "4"}}, Environment{{"PMI_SIZE", "4"}},
                                         Environment{{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}}) {
    const Launch launch = launch_in(environment);
    EXPECT_EQ(launch.by, Launch::By::kMpi);
    EXPECT_EQ(launch.size, 4);
  }
}

TEST(Launch, ShellInAnAllocationIsNotALaunch) {
  for (const Environment& environment :
       {Environment{}, Environment{{"SLURM_NTASKS", "8"}}, Environment{{"SLURM_STEP_NUM_TASKS", "8"}},
        Environment{{"OMPI_COMM_WORLD_SIZE", "many"}}, Environment{{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}},
        Environment{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}},
        Environment{{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}},
        Environment{{"RANK", "0"}, {"WORLD_SIZE", "1"}}}) {
    EXPECT_EQ(launch_in(environment).by, Launch::By::kNobody);
    EXPECT_EQ(launch_in(environment).size, 1);
  }
}

TEST(Launch, ReadsRankAndWorldSize) {
  const Launch launch = launch_in({{"RANK", "3"},
                                   {"WORLD_SIZE", "8"},
                                   {"MASTER_ADDR", "first.example"},
                                   {"MASTER_PORT", "2222"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "2"}});
  EXPECT_EQ(launch.by, Launch::By::kEnvironment);
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.size, 8);
  EXPECT_EQ(launch.host, "first.example");
  EXPECT_EQ(launch.port, 2222);
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 2);
}

TEST(Launch, ReadsTasksPerNodeOfSlurm) {
  const Launch launch = launch_in({{"SLURM_PROCID", "9"},
                                   {"SLURM_STEP_NUM_TASKS", "16"},
                                   {"MASTER_ADDR", "node1"},
                                   {"SLURM_LOCALID", "1"},
                                   {"SLURM_STEP_TASKS_PER_NODE", "8(x2)"}});
  EXPECT_EQ(launch.local_rank, 1);
  EXPECT_EQ(launch.local_size, 8);
}

// Nodes 0 and 1 have two processes each, node 2 has one, nodes 3 to 5 have three each.
TEST(Launch, ReadsUnevenTasksPerNodeOfSlurm) {
  struct Case {
    const char *node, *place;
    int64_t size;
  };
  for (const Case& c :
       {Case{"0", "0", 2}, Case{"1", "1", 2}, Case{"2", "0", 1}, Case{"3", "2", 3}, Case{"5", "0", 3}}) {
    const Launch launch = launch_in({{"SLURM_PROCID", "4"},
                                     {"SLURM_STEP_NUM_TASKS", "14"},
                                     {"MASTER_ADDR", "node1"},
                                     {"SLURM_NODEID", c.node},
                                     {"SLURM_LOCALID", c.place},
                                     {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1,3(x3)"}});
    EXPECT_EQ(launch.local_size, c.size) << c.node;
    EXPECT_EQ(launch.local_rank, std::stoi(c.place)) << c.node;
  }
}

TEST(Launch, UsesTheNextPortUnderTorchrun) {
  EXPECT_EQ(launch_in({{"RANK", "0"},
                       {"WORLD_SIZE", "2"},
                       {"MASTER_ADDR", "a"},
                       {"MASTER_PORT", "2222"},
                       {"TORCHELASTIC_USE_AGENT_STORE", "True"}})
                .port,
            2223);
}

TEST(Launch, SkipsInconsistentLocalRanks) {
  const Environment launch = {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}};
  for (const Environment& place :
       {Environment{{"LOCAL_RANK", "3"}, {"LOCAL_WORLD_SIZE", "2"}},
        Environment{{"LOCAL_RANK", "-1"}, {"LOCAL_WORLD_SIZE", "2"}},
        Environment{{"LOCAL_RANK", "one"}, {"LOCAL_WORLD_SIZE", "2"}},
        Environment{{"LOCAL_RANK", "3"}, {"LOCAL_WORLD_SIZE", "8"}},
        Environment{{"SLURM_LOCALID", "3"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "3"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "-1"}, {"SLURM_STEP_TASKS_PER_NODE", "-1,2"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "1,"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x,2"}},
        Environment{{"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x),2"}}}) {
    Environment environment = launch;
    environment.insert(place.begin(), place.end());
    EXPECT_EQ(launch_in(environment).local_rank, 0);
    EXPECT_EQ(launch_in(environment).local_size, 1);
  }
  EXPECT_EQ(launch_in({{"OMPI_COMM_WORLD_SIZE", "4"},
                       {"LOCAL_RANK", "7"},
                       {"LOCAL_WORLD_SIZE", "2"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})
                .local_rank,
            1);
}

TEST(Launch, SlurmWithoutMpiNeedsMasterAddr) {
  const Launch launch = launch_in({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"MASTER_ADDR", "node1"}});
  EXPECT_EQ(launch.by, Launch::By::kEnvironment);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.size, 4);
  EXPECT_EQ(launch.host, "node1");
  EXPECT_EQ(launch.port, 29500);
}

TEST(Launch, ReadsTpuWorkersOnlyForTpus) {
  const Environment environment = {{"TPU_WORKER_ID", "1"}, {"TPU_WORKER_HOSTNAMES", "w0,w1,w2,w3"}};
  EXPECT_EQ(launch_in(environment).size, 1);
  const Launch launch = launch_in(environment, true);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.size, 4);
  EXPECT_EQ(launch.host, "w0");
  EXPECT_EQ(launch_in({{"TPU_WORKER_ID", "0"}, {"TPU_WORKER_HOSTNAMES", "localhost"}}, true).size, 1);
}

TEST(Launch, IncompleteVariablesAreAnErrorThatNamesTheMissingOne) {
  EXPECT_THAT(error_in({{"RANK", "1"}}), HasSubstr("RANK without WORLD_SIZE"));
  EXPECT_THAT(error_in({{"WORLD_SIZE", "2"}}), HasSubstr("WORLD_SIZE without RANK"));
  EXPECT_THAT(error_in({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), HasSubstr("without MASTER_ADDR"));
  EXPECT_THAT(error_in({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}), HasSubstr("without MASTER_PORT"));
  EXPECT_THAT(error_in({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}}), HasSubstr("without MASTER_ADDR"));
  EXPECT_THAT(error_in({{"MASTER_ADDR", "a"}, {"SLURM_STEP_NUM_TASKS", "4"}}), HasSubstr("without SLURM_PROCID"));
  EXPECT_THAT(error_in({{"TPU_WORKER_ID", "1"}}, true), HasSubstr("without TPU_WORKER_HOSTNAMES"));
}

TEST(Launch, RefusesInvalidNumbers) {
  EXPECT_THAT(error_in({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(error_in({{"RANK", "0"}, {"WORLD_SIZE", "two"}}), HasSubstr("WORLD_SIZE"));
  EXPECT_THAT(error_in({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}}),
              HasSubstr("65535"));
  EXPECT_THAT(error_in({{"RANK", "0"},
                        {"WORLD_SIZE", "2"},
                        {"MASTER_ADDR", "a"},
                        {"MASTER_PORT", "65535"},
                        {"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
              HasSubstr("65534"));
}

TEST(Launch, TimeoutIsANumberOfSeconds) {
  constexpr const char* kName = "PORTATUNE_LAUNCH_TIMEOUT_S";
  unsetenv(kName);
  EXPECT_EQ(launch_timeout().count(), 300);
  setenv(kName, "20", 1);
  EXPECT_EQ(launch_timeout().count(), 20);
  for (const char* text : {"5m", "0", "-1", "1e3", "99999999999999"}) {
    setenv(kName, text, 1);
    EXPECT_THROW(launch_timeout(), UsageError) << text;
  }
  unsetenv(kName);
}

}  // namespace
}  // namespace portatune
