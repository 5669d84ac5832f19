// Commands that run in several processes, which work together.
#pragma once

#include <optional>

#include "portatune/cli/options/arguments.h"
#include "portatune/runtime/processes/launch.h"

namespace portatune::cli {

/// The processes that a launcher has started together, this one among them. The environment is read when it is first
/// needed, because some commands work in any.
class Processes {
 public:
  /// The arguments of one of the processes: the mesh is data=N for N processes unless another one is given, and only
  /// the first process informs the user. A single process keeps its arguments.
  /// errors  DeviceError if there is no plug-in for them, or the others do not connect; UsageError if the environment
  ///         describes only half of a launch, or if an option has another value in another process; options that may
  ///         differ (paths, output for the user) are not compared
  template <class Arguments>
  Arguments arguments_of(Arguments a) {
    join(a.device, a.reporting, a.values);
    if constexpr (requires { a.model.bad_rows; }) report_in_first(a.device, a.model.bad_rows);
    return a;
  }

  /// errors  UsageError if several processes have been started for a command that uses only one
  void require_one(const char* what);

  /// Waits until all processes have finished. If one fails before that, ends with its exit code.
  void leave();

  /// Reports the message with which one of several processes ends, and ends them all, because the others would wait for
  /// it. Returns if this process is the only one or cannot reach the others.
  void end(int exit_code, const char* message);

 private:
  const Launch& launch(bool on_tpu = false);
  void join(DeviceOptions& device, Reporting& reporting, const OptionValues& values);
  static void report_in_first(const DeviceOptions& device, std::shared_ptr<data::BadRows>& bad_rows);

  std::optional<Launch> launch_;
};

}  // namespace portatune::cli
