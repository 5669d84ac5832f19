#include "portune/cli/process_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <vector>

#include "portune/base/number.h"
#include "portune/error.h"

namespace portune::cli {
namespace {

namespace fs = std::filesystem;

// "/dev/nvidia0", and not "/dev/nvidiactl".
int64_t gpus_of_machine() {
  constexpr std::string_view kName = "nvidia";
  std::error_code none;
  int64_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kName) && number_in<int64_t>(std::string_view(name).substr(kName.size()))) ++count;
  }
  return count;
}

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Slurm shows each of its tasks its own GPUs then; what another launcher has started in a task shares those of the
// task.
bool slurm_divides() {
  return is_set("SLURM_GPUS_PER_TASK") && !is_set("LOCAL_WORLD_SIZE") && !is_set("OMPI_COMM_WORLD_LOCAL_SIZE");
}

bool each_sees_its_own(int64_t visible) { return (visible == 1 && is_set("CUDA_VISIBLE_DEVICES")) || slurm_divides(); }

}  // namespace

int64_t visible_gpus() {
  const char* named = std::getenv("CUDA_VISIBLE_DEVICES");
  if (named == nullptr) return std::max<int64_t>(1, gpus_of_machine());
  return 1 + std::ranges::count(std::string_view(named), ',');
}

std::string gpus_of_process(const Launch& launch, int64_t visible, int64_t wanted) {
  int64_t first = 0, count = visible;
  if (launch.local_size > 1 && !each_sees_its_own(visible)) {
    count = visible / launch.local_size;
    first = launch.local_rank * count;
  }
  if (count == 0) {
    throw UsageError({.where = "device \"cuda\"",
                      .given = fmt::format("{} processes on a machine, and {} GPUs", launch.local_size, visible),
                      .expected = "at most as many processes as GPUs",
                      .fix = "start fewer; or name those of each process, if each sees others: --device cuda:0,1"});
  }
  if (wanted > 0) count = std::min(count, wanted);
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return fmt::format("cuda:{}", fmt::join(numbers, ","));
}

}  // namespace portune::cli
