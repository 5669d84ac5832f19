// Several training runs at the same time, each on its own part of this machine's cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "portatune/error.h"
#include "portatune/run/fit.h"

namespace portatune::run {

/// The number of runs at the same time with the most steps per second, each with an equal part of the cores. The
/// threads of a step wait for each other, so that two runs on one core each take less time than one after the other on
/// both.
/// left         number of runs; at least 1
/// max_at_once  at least 1
int best_at_once(size_t left, int cores, int max_at_once);

/// The number of runs for which the memory suffices.
/// used_bytes  those of the first run, after its first step
/// free_bytes  those that are left beside it
int runs_that_fit(int64_t used_bytes, int64_t free_bytes);

/// The parts of the cores for so many runs, which differ by at most one core. There are at least as many cores as runs.
std::vector<std::vector<int>> parts_of_cores(const std::vector<int>& cores, int runs);

/// The memory of this process, and of the machine.
struct MemoryUse {
  int64_t used_bytes;  ///< resident memory of this process
  int64_t free_bytes;  ///< memory of the machine that no process uses
};
/// The present use of memory; nothing if the system does not report it.
std::optional<MemoryUse> memory_use();

/// Trains runs, several at the same time if their device is a single CPU without saved programs. Each run is
/// independent of the others, and has the bits that it has alone.
class RunsAtOnce {
 public:
  /// The device of a run, and the link to the other runs.
  struct Context {
    DeviceOfRuns& device;
    StopToken stop;  ///< requests the end: by the user, or because another run has failed
    bool is_alone;   ///< true if no other run trains at the same time
    /// To be called when the run has done a step. Runs beside the first one begin then, as far as the memory suffices
    /// by what the first one uses.
    std::function<void()> has_stepped;
  };
  /// Trains a run. Returns false, or throws Stopped, if it was stopped on request.
  using Train = std::function<bool(size_t run, const Context& context)>;

  /// options   of all runs: their device, max_concurrent_runs, and the token that requests their end
  /// observer  a further observer of all runs, which then train one after the other; null: none
  /// events    receives notices, and the warnings of devices from any thread; it must outlive this object
  /// memory    returns the memory that decides how many runs fit
  RunsAtOnce(const RunOptions& options, const Callback* observer, Events& events,
             std::function<std::optional<MemoryUse>()> memory = memory_use);

  /// Trains all of these runs; the first ones begin first. Returns false if one was stopped on request.
  /// errors  the first one of a run, after the end of the others, which are stopped
  bool train(std::span<const size_t> runs, const Train& train);
  /// From now on, trains one run after the other, with all cores.
  void train_alone_from_now_on() { max_at_once_ = 1; }

 private:
  class Wave;

  DeviceOfRuns& device(int at_once, int number);
  bool train_alone(std::span<const size_t> runs, const Train& train);
  int fitting_runs(const std::optional<MemoryUse>& before);

  const DeviceOptions options_;
  const StopToken stop_;
  Events& events_;
  const std::function<std::optional<MemoryUse>()> memory_;
  int max_at_once_;
  int64_t used_bytes_ = 0;                               // the most that the first run of a wave has used
  int reported_ = 1;                                     // the number of runs at the same time that the user knows of
  std::map<std::pair<int, int>, DeviceOfRuns> devices_;  // by the number of runs at the same time, and the part
};

}  // namespace portatune::run
