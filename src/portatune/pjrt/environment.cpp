#include "portatune/pjrt/environment.h"

#include <cstdlib>
#include <filesystem>

namespace portatune::pjrt {
namespace {

constexpr int kUnlessSet = 0;

bool machine_has_tpu() {
  std::error_code none;
  return std::filesystem::exists("/dev/accel0", none) || std::filesystem::exists("/dev/vfio/0", none);
}

}  // namespace

void prepare_environment() {
  // Plugins may write only fatal messages to the terminal; all other faults are returned as errors.
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_MIN_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_STDERR_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_LOG_DIR", "disabled", kUnlessSet);
  if (machine_has_tpu()) return;
  // These allow compiling for a TPU on another machine. Without them, libtpu asks the cloud's metadata server for the
  // type of this machine and waits for minutes, and it does not let two processes compile at once.
  setenv("TPU_SKIP_MDS_QUERY", "1", kUnlessSet);
  setenv("TPU_ACCELERATOR_TYPE", "v5litepod-4", kUnlessSet);
  setenv("TPU_WORKER_HOSTNAMES", "localhost", kUnlessSet);
  setenv("TPU_WORKER_ID", "0", kUnlessSet);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", kUnlessSet);
}

}  // namespace portatune::pjrt
