#include "portatune/run/launch/runs_at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/cores.h"
#include "portatune/base/threads/stop.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/runtime/machine_memory.h"

namespace portatune::run {
namespace {

// A run on n cores is n to the power of this as fast as on one. Measured with MiniLM on two cores: 1.79.
constexpr double kGainOfCores = 0.85;

// A run may come to use so many times the memory of its first step: evaluations and checkpoints come later.
constexpr double kMemoryReserve = 1.5;

// Returns whether parts of the cores can be devices. Programs that are compiled ahead of time are for all cores.
bool has_parts(const DeviceOptions& options) {
  return options.device == "cpu" && options.mesh.devices() == 1 && options.processes == nullptr &&
         options.programs_folder.empty();
}

// Returns false if the run was stopped, also if that was before its training.
bool trained(const RunsAtOnce::Train& train, size_t run, const RunsAtOnce::Context& context) {
  try {
    return train(run, context);
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace

int runs_that_fit(int64_t used_bytes, int64_t free_bytes) {
  const auto used = static_cast<double>(std::max<int64_t>(used_bytes, 1)), free = static_cast<double>(free_bytes);
  const double others = (free - (kMemoryReserve - 1) * used) / (kMemoryReserve * used);
  return 1 + static_cast<int>(std::clamp<double>(others, 0, std::numeric_limits<int>::max() - 1));
}

int best_at_once(size_t left, int cores, int max_at_once) {
  const int max_runs = static_cast<int>(std::min<size_t>(left, static_cast<size_t>(std::min(cores, max_at_once))));
  const auto speed = [cores](int at_once) {
    return at_once * std::pow(static_cast<double>(cores / at_once), kGainOfCores);
  };
  int best = 1;
  for (int at_once = 2; at_once <= max_runs; ++at_once) {
    if (speed(at_once) >= speed(best)) best = at_once;
  }
  return best;
}

std::vector<std::vector<int>> parts_of_cores(const std::vector<int>& cores, int runs) {
  std::vector<std::vector<int>> parts;
  for (int64_t part = 0; part < runs; ++part) {
    const auto begin = [&](int64_t of) { return cores.begin() + std::ssize(cores) * of / runs; };
    parts.emplace_back(begin(part), begin(part + 1));
  }
  return parts;
}

// Runs that take turns on parts of the cores.
class RunsAtOnce::Wave {
 public:
  // cores  those of all runs
  Wave(RunsAtOnce& all, std::span<const size_t> runs, const std::vector<int>& cores, int at_once, const Train& train)
      : all_(all),
        runs_(runs),
        at_once_(at_once),
        train_(train),
        parts_(parts_of_cores(cores, at_once)),
        stop_(all.stop_) {}

  ~Wave() { stop_.request_stop(); }
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  // Returns the number of runs that were trained, at least one; nothing if one was stopped on request. It is fewer than
  // all if the memory does not suffice for so many at the same time, which lowers the limit.
  std::optional<size_t> train() {
    const std::optional<MemoryUse> before = all_.memory_();
    start(0);
    int others = 0;
    wait([&] { return has_stepped_ || ended_ == 1; });
    if (!has_ended()) {
      others = std::min(at_once_, all_.fitting_runs(before)) - 1;
      if (others + 1 < at_once_) limit_to(others + 1);
      report(others + 1);
    }
    for (int number = 1; number <= others; ++number) start(number);
    wait([&] { return ended_ == 1 + others; });
    threads_.clear();
    if (error_) std::rethrow_exception(error_);
    return is_stopped_ ? std::nullopt : std::optional(next_);
  }

 private:
  void start(int number) {
    DeviceOfRuns& device = all_.device(at_once_, number);
    threads_.emplace_back([this, number, &device] {
      limit_to_cores(parts_[static_cast<size_t>(number)]);
      const StopScope scope(stop_.token());
      work(device);
      const std::lock_guard lock(mutex_);
      ++ended_;
      changed_.notify_all();
    });
  }

  void work(DeviceOfRuns& device) {
    const Context context{.device = device, .stop = stop_.token(), .is_alone = false, .has_stepped = [this] {
                            const std::lock_guard lock(mutex_);
                            has_stepped_ = true;
                            changed_.notify_all();
                          }};
    while (const std::optional<size_t> run = next_run()) {
      try {
        if (trained(train_, *run, context)) continue;
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
      stop_.request_stop();
    }
  }

  std::optional<size_t> next_run() {
    const std::lock_guard lock(mutex_);
    if (is_stopped_ || error_ || next_ == end_) return {};
    return runs_[next_++];
  }

  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return ended_ > 0;
  }

  template <class Condition>
  void wait(const Condition& condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }

  // The runs that have begun are the last ones of this wave.
  void limit_to(int at_once) {
    const std::lock_guard lock(mutex_);
    all_.max_at_once_ = at_once;
    end_ = std::min(runs_.size(), next_ + static_cast<size_t>(at_once - 1));
  }

  void report(int at_once) const {
    if (at_once == 1) return all_.events_.notice("training one run at a time, as the memory suffices for no more");
    if (std::exchange(all_.reported_, at_once) == at_once) return;
    const std::string memory = at_once < at_once_ ? ", as many as the memory suffices for" : "";
    const auto fewest = std::ssize(parts_.front()), most = std::ssize(parts_.back());
    const std::string cores = fewest == most ? counted(most, "core") : fmt::format("{} or {} cores", fewest, most);
    all_.events_.notice(
        fmt::format("training {} at the same time, on {} each{}", counted(at_once, "run"), cores, memory));
  }

  RunsAtOnce& all_;
  const std::span<const size_t> runs_;
  const int at_once_;
  const Train& train_;
  const std::vector<std::vector<int>> parts_;
  StopSource stop_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  size_t next_ = 0, end_ = runs_.size();
  bool has_stepped_ = false, is_stopped_ = false;
  int ended_ = 0;  // number of threads
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

std::optional<MemoryUse> memory_use() {
  const std::optional<int64_t> used = resident_bytes();
  const DeviceMemory memory = machine_memory();
  if (!used || !memory.limit_bytes) return {};
  return MemoryUse{.used_bytes = *used, .free_bytes = *memory.limit_bytes - memory.in_use_bytes};
}

RunsAtOnce::RunsAtOnce(const RunOptions& options, const Callback* observer, Events& events,
                       std::function<std::optional<MemoryUse>()> memory)
    : options_(options.device), stop_(options.stop), events_(events), memory_(std::move(memory)), max_at_once_(1) {
  const bool needs_this_thread = observer != nullptr || data::MappedRows::are_made();
  if (needs_this_thread || !has_parts(options_)) return;
  const int cores = usable_cores();
  max_at_once_ = options.max_concurrent_runs == 0
                     ? cores
                     : static_cast<int>(std::clamp<int64_t>(options.max_concurrent_runs, 1, cores));
}

// Later waves reuse memory that earlier ones have freed, so the largest growth counts.
int RunsAtOnce::fitting_runs(const std::optional<MemoryUse>& before) {
  const std::optional<MemoryUse> now = memory_();
  if (!before || !now) return max_at_once_;
  used_bytes_ = std::max(used_bytes_, now->used_bytes - before->used_bytes);
  return runs_that_fit(used_bytes_, now->free_bytes);
}

bool RunsAtOnce::train(std::span<const size_t> runs, const Train& train) {
  std::vector<int> cores = allowed_cores();
  cores.resize(std::min(cores.size(), static_cast<size_t>(usable_cores())));  // fewer with a quota of CPU time
  while (!runs.empty()) {
    const int at_once = best_at_once(runs.size(), static_cast<int>(cores.size()), max_at_once_);
    if (at_once == 1) return train_alone(runs, train);
    const size_t turns = runs.size() / static_cast<size_t>(at_once);
    const std::optional<size_t> trained =
        Wave(*this, runs.first(turns * static_cast<size_t>(at_once)), cores, at_once, train).train();
    if (!trained) return false;
    runs = runs.subspan(*trained);
  }
  return true;
}

bool RunsAtOnce::train_alone(std::span<const size_t> runs, const Train& train) {
  const Context context{.device = device(1, 0), .stop = stop_, .is_alone = true, .has_stepped = [] {}};
  return std::ranges::all_of(runs, [&](size_t run) { return trained(train, run, context); });
}

DeviceOfRuns& RunsAtOnce::device(int at_once, int number) {
  return devices_.try_emplace({at_once, number}, options_, events_).first->second;
}

}  // namespace portatune::run
