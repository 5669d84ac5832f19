// What the environment says of the processes that have been started together.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace portatune {

struct Launch {
  enum class By {
    kNobody,      ///< this process is alone
    kMpi,         ///< mpirun, or srun: MPI knows the rest
    kEnvironment  ///< by variables alone, such as RANK and WORLD_SIZE
  };
  By by = By::kNobody;
  int64_t rank = 0, size = 1;  ///< the rank is 0 with kMpi
  std::string host = {};       ///< of process 0, which waits for the others at this port; with kEnvironment
  int port = 0;
  int64_t local_rank = 0, local_size = 1;  ///< among the processes of this machine, as far as is told
};

/// Looks for, in this order:
///   OMPI_COMM_WORLD_SIZE, PMI_SIZE, or PMIX_RANK with SLURM_STEP_NUM_TASKS    MPI's launchers
///   RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT    torchrun, Kubernetes' training operators, Vertex AI, by hand
///   SLURM_PROCID, SLURM_STEP_NUM_TASKS, MASTER_ADDR, or without MASTER_PORT 29500    srun without MPI
///   with on_tpu: TPU_WORKER_ID, TPU_WORKER_HOSTNAMES    TPU pods on Kubernetes; process 0 is on the first host
/// errors  UsageError that names what is missing, if there are only some of a row, or what is no number
Launch find_launch(bool on_tpu = false);

/// For the others of a launch to come: PORTATUNE_LAUNCH_TIMEOUT_S, or 300 s.
/// errors  UsageError if it is no number from 1 to 86400
std::chrono::seconds launch_timeout();

}  // namespace portatune
