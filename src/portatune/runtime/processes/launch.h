// The launch of a process group, as the environment describes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace portatune {

/// The place of this process among those that were started together.
struct Launch {
  enum class By {
    kNobody,      ///< no launcher: a single process
    kMpi,         ///< mpirun or srun: MPI knows ranks and addresses
    kEnvironment  ///< environment variables, such as RANK and WORLD_SIZE
  };
  By by = By::kNobody;
  int64_t rank = 0, size = 1;  ///< the rank is 0 with kMpi
  std::string host = {};       ///< host of process 0, which listens at `port`; with kEnvironment
  int port = 0;
  int64_t local_rank = 0, local_size = 1;  ///< rank and number among the processes of this machine, if known
};

/// Finds the launch by the first of these sets of environment variables:
///   OMPI_COMM_WORLD_SIZE, PMI_SIZE, or PMIX_RANK with SLURM_STEP_NUM_TASKS    MPI's launchers
///   RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT    torchrun, Kubernetes' training operators, Vertex AI, by hand
///   SLURM_PROCID, SLURM_STEP_NUM_TASKS, MASTER_ADDR, or without MASTER_PORT 29500    srun without MPI
///   with on_tpu: TPU_WORKER_ID, TPU_WORKER_HOSTNAMES    TPU pods on Kubernetes; process 0 is on the first host
/// errors  UsageError if a set is incomplete or a value is not a number; it names the variable
Launch find_launch(bool on_tpu = false);

/// The timeout for all processes of a launch to join: PORTATUNE_LAUNCH_TIMEOUT_S, or 300 s.
/// errors  UsageError if it is not a number from 1 to 86400
std::chrono::seconds launch_timeout();

}  // namespace portatune
