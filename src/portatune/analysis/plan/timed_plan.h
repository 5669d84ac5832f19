// The plan of a run for one target, within a time limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/analysis/plan/target_plan.h"
#include "portatune/device.h"

namespace portatune::plan {

/// The plan for one target.
struct PlannedTarget {
  Target target;
  std::string unavailable = {};  ///< reason why nothing can be compiled for it here; the rest is empty then
  int64_t memory_bytes = 0;
  Peaks peaks;
  TargetPlan outcome;
  std::vector<Remedy> remedies = {};          ///< remedies for a run that is too large
  std::string not_saved = {};                 ///< reason why no programs are saved; else empty
  std::optional<LargestBatch> largest_batch;  ///< none if it was not searched for
  std::string slow = {};                      ///< step that the time limit has ended; else empty

  /// Returns whether a step has been compiled for the target.
  bool has_figures() const { return !outcome.shapes.empty(); }
  /// Returns whether the plan decides if the run fits.
  bool is_decided() const { return has_figures() || outcome.is_too_large; }
  /// Time of the compilation of all programs.
  double compile_seconds() const;
};

struct TimedPlanOptions {
  DeviceOptions device;                ///< see open_compiler()
  std::filesystem::path save;          ///< folder for the compiled programs; empty: they are not saved
  bool largest_batch = false;          ///< whether to search for the largest batch that fits
  std::optional<double> time_limit_s;  ///< 0: no limit; none: ten minutes, but no limit for programs that are saved
};

/// Plans a run part by part, and returns the parts that are complete within the time limit; PlannedTarget::slow names
/// the step that took too long. In this case a thread keeps compiling, because a compiler cannot be stopped: it shares
/// `run`, and the process must end by std::_Exit(), without the destruction of static objects.
/// log     receives remarks on the progress, from several threads; it is called until the thread ends
/// errors  those of the compiler; Stopped
PlannedTarget plan_in_time(const Target& target, const std::shared_ptr<const Run>& run, const TimedPlanOptions& options,
                           const std::function<void(const std::string&)>& log);

}  // namespace portatune::plan
