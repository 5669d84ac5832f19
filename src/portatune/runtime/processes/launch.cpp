#include "portatune/runtime/processes/launch.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "portatune/base/environment.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"

namespace portatune {
namespace {

constexpr int kDefaultPort = 29500;  // torchrun's default

std::string required(const char* name, const char* because_of) {
  if (std::optional<std::string> text = environment_variable(name)) return *text;
  throw UsageError({.where = "the environment",
                    .given = std::string(because_of) + " without " + name,
                    .expected = std::string(name) + " as well, which the other processes of this launch need",
                    .fix = std::string("set it, or unset ") + because_of + " for a single process"});
}

int64_t number_of(const char* name, const std::string& text, int64_t minimum, int64_t maximum) {
  const std::optional<int64_t> number = number_in<int64_t>(text);
  if (number && *number >= minimum && *number <= maximum) return *number;
  throw UsageError({.where = std::string("the environment's ") + name,
                    .given = "\"" + text + "\"",
                    .expected = "a number from " + std::to_string(minimum) + " to " + std::to_string(maximum)});
}

// Values of MPI's launchers are not validated: a value that is not a number counts as absent.
int64_t number_if_any(const char* name) {
  const std::optional<std::string> text = environment_variable(name);
  return text ? number_in<int64_t>(*text).value_or(0) : 0;
}

int64_t mpi_size() {
  if (const int64_t size = number_if_any("OMPI_COMM_WORLD_SIZE"); size > 0) return size;  // Open MPI's mpirun
  if (const int64_t size = number_if_any("PMI_SIZE"); size > 0) return size;  // MPICH's mpirun, and srun with PMI-2
  // srun with PMIx. SLURM_NTASKS alone would not do: every shell of an allocation has it.
  return environment_variable("PMIX_RANK") ? std::max<int64_t>(1, number_if_any("SLURM_STEP_NUM_TASKS")) : 1;
}

constexpr int64_t kMaxProcesses = 1 << 20;

int port_of_launch(const std::string& text) {
  const bool is_taken =
      environment_variable("TORCHELASTIC_USE_AGENT_STORE") == "True";  // torchrun's own store has the port
  const auto port = static_cast<int>(number_of("MASTER_PORT", text, 1, is_taken ? 65534 : 65535));
  return is_taken ? port + 1 : port;
}

Launch by_rank_and_world_size() {
  const char* const given = environment_variable("RANK") ? "RANK" : "WORLD_SIZE";
  Launch launch{.size = number_of("WORLD_SIZE", required("WORLD_SIZE", given), 1, kMaxProcesses)};
  launch.rank = number_of("RANK", required("RANK", given), 0, launch.size - 1);
  if (launch.size == 1) return {};
  launch.by = Launch::By::kEnvironment;
  launch.host = required("MASTER_ADDR", "WORLD_SIZE");
  launch.port = port_of_launch(required("MASTER_PORT", "WORLD_SIZE"));
  return launch;
}

Launch by_slurm() {
  const int64_t size = number_if_any("SLURM_STEP_NUM_TASKS");
  return {.by = Launch::By::kEnvironment,
          .rank = number_of("SLURM_PROCID", required("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"), 0, size - 1),
          .size = size,
          .host = required("MASTER_ADDR", "SLURM_STEP_NUM_TASKS"),
          .port = port_of_launch(environment_variable("MASTER_PORT").value_or(std::to_string(kDefaultPort)))};
}

Launch by_tpu_workers() {
  const std::string hosts = required("TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID");
  const int64_t size = 1 + std::ranges::count(hosts, ',');
  if (size == 1) return {};
  return {.by = Launch::By::kEnvironment,
          .rank = number_of("TPU_WORKER_ID", required("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES"), 0, size - 1),
          .size = size,
          .host = hosts.substr(0, hosts.find(',')),
          .port = kDefaultPort};
}

// The number of tasks on this node, from Slurm's list for the nodes of a step. The list is "2(x2),1" if two nodes have
// two tasks each and a third has one.
std::optional<int64_t> tasks_of_own_node(std::string_view list) {
  const bool all_have_equally_many = list.find(',') == list.npos;
  const auto node = number_in<int64_t>(environment_variable("SLURM_NODEID").value_or(""));
  if (!all_have_equally_many && (!node || *node < 0)) return {};
  int64_t nodes_before = all_have_equally_many ? 0 : *node;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const size_t times = entry.find("(x");
    std::optional<int64_t> nodes = 1;
    if (times != entry.npos) nodes = number_in<int64_t>(entry.substr(times + 2, entry.find(')') - times - 2));
    if (!nodes || *nodes < 1) return {};
    if (nodes_before < *nodes) return number_in<int64_t>(entry.substr(0, times));
    nodes_before -= *nodes;
  }
  return {};
}

// Skips inconsistent values, such as those of an allocation with another number of processes.
void add_local_rank(Launch& launch) {
  constexpr const char* kVariables[][2] = {{"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
                                           {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                           {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"}};
  for (const auto& [rank, size] : kVariables) {
    const auto count = tasks_of_own_node(environment_variable(size).value_or(""));  // a plain number except with Slurm
    const auto local_rank = number_in<int64_t>(environment_variable(rank).value_or(""));
    if (!count || !local_rank || *local_rank < 0 || *local_rank >= *count || *count > launch.size) continue;
    launch.local_size = *count;
    launch.local_rank = *local_rank;
    return;
  }
}

}  // namespace

Launch find_launch(bool on_tpu) {
  Launch launch;
  if (const int64_t size = mpi_size(); size > 1) {
    launch = {.by = Launch::By::kMpi, .size = size};
  } else if (environment_variable("RANK") || environment_variable("WORLD_SIZE")) {
    launch = by_rank_and_world_size();
  } else if (number_if_any("SLURM_STEP_NUM_TASKS") > 1 &&
             (environment_variable("MASTER_ADDR") || environment_variable("SLURM_PROCID"))) {
    launch = by_slurm();
  } else if (on_tpu && (environment_variable("TPU_WORKER_ID") || environment_variable("TPU_WORKER_HOSTNAMES"))) {
    launch = by_tpu_workers();
  }
  if (launch.by != Launch::By::kNobody) add_local_rank(launch);
  return launch;
}

std::chrono::seconds launch_timeout() {
  constexpr const char* kName = "PORTATUNE_LAUNCH_TIMEOUT_S";
  return std::chrono::seconds(number_of(kName, environment_variable(kName).value_or("300"), 1, 86'400));
}

}  // namespace portatune
