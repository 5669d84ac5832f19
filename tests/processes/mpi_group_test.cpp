#include "portune/processes/mpi_group.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace portune {
namespace {

int64_t launched_by(const std::map<std::string, std::string>& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const int64_t processes = launched_processes();
  for (const auto& [name, value] : environment) unsetenv(name.c_str());
  return processes;
}

TEST(LaunchedProcesses, AreThoseThatALauncherTellsOf) {
  EXPECT_EQ(launched_by({}), 1);
  EXPECT_EQ(launched_by({{"OMPI_COMM_WORLD_SIZE", "4"}}), 4);
  EXPECT_EQ(launched_by({{"PMI_SIZE", "3"}}), 3);
  EXPECT_EQ(launched_by({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}}), 8);
}

TEST(LaunchedProcesses, AShellInAnAllocationIsNone) {
  EXPECT_EQ(launched_by({{"SLURM_NTASKS", "8"}}), 1);
  EXPECT_EQ(launched_by({{"SLURM_STEP_NUM_TASKS", "8"}}), 1);
  EXPECT_EQ(launched_by({{"OMPI_COMM_WORLD_SIZE", "many"}}), 1);
}

}  // namespace
}  // namespace portune
