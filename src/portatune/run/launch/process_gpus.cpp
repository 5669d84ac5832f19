#include "portatune/run/launch/process_gpus.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Whether Slurm shows each of its tasks its own GPUs. Processes that another launcher starts in a task share them.
bool slurm_divides() {
  return is_set("SLURM_GPUS_PER_TASK") && !is_set("LOCAL_WORLD_SIZE") && !is_set("OMPI_COMM_WORLD_LOCAL_SIZE");
}

bool each_sees_its_own(int64_t visible) { return (visible == 1 && is_set("CUDA_VISIBLE_DEVICES")) || slurm_divides(); }

std::string name_of_machine() {
  std::array<char, 256> host{};
  std::string start;
  if (gethostname(host.data(), host.size() - 1) != 0) return {};
  if (!std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), start)) return {};
  return host.data() + (" " + start);
}

// The name of this GPU in CUDA_VISIBLE_DEVICES, or its number if that is not set. Nothing if there are fewer GPUs.
std::optional<std::string> name_of_visible(int64_t number) {
  const char* const named = std::getenv("CUDA_VISIBLE_DEVICES");
  if (named == nullptr) return std::to_string(number);
  std::istringstream names(named);
  std::string name;
  for (int64_t i = 0; i <= number; ++i) {
    if (!std::getline(names, name, ',')) return {};
  }
  return name;
}

// CUDA numbers the GPUs that can be opened, so equal numbers mean one GPU only if these are equal.
std::optional<std::string> identity_of(int64_t number, const OpenGpus& open) {
  const std::optional<std::string> name = name_of_visible(number);
  if (!name || open.machine.empty()) return {};
  if (name->starts_with("GPU-") || name->starts_with("MIG-")) return open.machine + " " + *name;
  const std::optional<int64_t> place = number_in<int64_t>(*name);
  if (!place || *place < 0 || *place >= std::ssize(open.files)) return {};
  const char* const order = std::getenv("CUDA_DEVICE_ORDER");
  return fmt::format("{} {} of {} {}", open.machine, *place, fmt::join(open.files, ","), order == nullptr ? "" : order);
}

void require_equally_many(ProcessGroup& processes, uint64_t gpus) {
  const std::vector<uint64_t> all = processes.all_gather(gpus);
  const auto [least, most] = std::ranges::minmax_element(all);
  if (*least == *most) return;
  throw UsageError({.where = "device \"cuda\"",
                    .given = fmt::format("{} GPUs for process {} and {} for process {}", *least, least - all.begin(),
                                         *most, most - all.begin()),
                    .expected = "equally many for each",
                    .fix = fmt::format("start as many processes on each machine, or take {} of each: --mesh data={}",
                                       *least, *least * all.size())});
}

}  // namespace

int64_t visible_gpus() {
  const char* named = std::getenv("CUDA_VISIBLE_DEVICES");
  if (named == nullptr) return std::max<int64_t>(1, std::ssize(open_gpus().files));
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

OpenGpus open_gpus() {
  constexpr std::string_view kName = "nvidia";  // and a number: not "nvidiactl"
  OpenGpus open;
  open.machine = name_of_machine();
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev", none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kName)) continue;
    const auto number = number_in<int64_t>(std::string_view(name).substr(kName.size()));
    // Slurm's cgroups leave the files of other GPUs in place, but do not let a task open them.
    if (number && access(entry.path().c_str(), R_OK | W_OK) == 0) open.files.push_back(*number);
  }
  std::ranges::sort(open.files);
  return open;
}

std::vector<uint64_t> marks_of_gpus(std::span<const int64_t> numbers, const OpenGpus& open) {
  std::vector<uint64_t> marks;
  for (const int64_t number : numbers) {
    const std::optional<std::string> identity = identity_of(number, open);
    marks.push_back(identity ? io::hash_of(*identity) : 0);
  }
  return marks;
}

void require_own_gpus(ProcessGroup& processes, std::span<const uint64_t> marks) {
  require_equally_many(processes, marks.size());
  std::vector<uint64_t> all(marks.size() * static_cast<size_t>(processes.size()));
  processes.all_gather(processes.everyone(), std::as_bytes(marks), std::as_writable_bytes(std::span(all)));
  std::map<uint64_t, size_t> first_with;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0) continue;
    const auto [first, is_new] = first_with.emplace(all[i], i);
    const size_t process = i / marks.size(), other = first->second / marks.size();
    if (is_new || process == other) continue;
    throw UsageError({.where = "device \"cuda\"",
                      .given = fmt::format("one GPU for process {} and for process {}", other, process),
                      .expected = "different GPUs for each process: NCCL supports one process per GPU",
                      .fix = "set the number of processes per machine (LOCAL_RANK and LOCAL_WORLD_SIZE, as launchers "
                             "do), or name other GPUs "
                             "for each: --device cuda:1, or CUDA_VISIBLE_DEVICES"});
  }
}

}  // namespace portatune::run
