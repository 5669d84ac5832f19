#include "portune/cli/process_gpus.h"

#include <gtest/gtest.h>

#include "pjrt/variable.h"
#include "portune/error.h"

namespace portune::cli {
namespace {

Launch of_machine(int64_t local_rank, int64_t local_size) {
  return {.by = Launch::By::kEnvironment, .size = 8, .local_rank = local_rank, .local_size = local_size};
}

TEST(ProcessGpus, AreAllWhereItIsAloneOnItsMachine) {
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 0), "cuda:0,1,2,3");
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 2), "cuda:0,1");
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 5), "cuda:0,1,2,3");  // which are too few for the mesh
}

TEST(ProcessGpus, AreDividedAmongTheProcessesOfAMachine) {
  EXPECT_EQ(gpus_of_process(of_machine(0, 4), 8, 0), "cuda:0,1");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 8, 0), "cuda:6,7");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 8, 1), "cuda:6");
  EXPECT_THROW(gpus_of_process(of_machine(0, 4), 2, 0), UsageError);
}

TEST(ProcessGpus, AreThoseThatItAloneSees) {
  {
    const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", "3");
    EXPECT_EQ(gpus_of_process(of_machine(3, 4), 1, 0), "cuda:0");
  }
  const pjrt::Variable slurm("SLURM_GPUS_PER_TASK", "2");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 2, 0), "cuda:0,1");
}

TEST(ProcessGpus, OneOfAMachineIsForOneProcess) {
  const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", nullptr);
  EXPECT_THROW(gpus_of_process(of_machine(1, 2), 1, 0), UsageError);
}

TEST(ProcessGpus, OfATaskOfSlurmAreDividedAmongWhatAnotherLauncherStartsInIt) {
  const pjrt::Variable slurm("SLURM_GPUS_PER_TASK", "8"), local("LOCAL_WORLD_SIZE", "8");
  EXPECT_EQ(gpus_of_process(of_machine(5, 8), 8, 0), "cuda:5");
}

TEST(ProcessGpus, AreCountedByWhatIsVisible) {
  const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", "4,5,7");
  EXPECT_EQ(visible_gpus(), 3);
}

}  // namespace
}  // namespace portune::cli
