// Process groups that exchange arrays by one of the plug-ins of exchange_api.h.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "portatune/process_group.h"
#include "portatune/runtime/processes/launch.h"
#include "portatune/runtime/processes/session.h"

namespace portatune {

/// The group of all processes that a launcher has started together; the first call initialises the exchanges. A single
/// process is a group, too.
/// timeout  longest time to wait for process 0, and in process 0 for the others; for processes that find each other by
///          the environment
/// on_end   called once, on another thread, when another process fails or is lost; never with MPI, which terminates all
/// errors   DeviceError if there is no plug-in, if process 0 does not answer, or if some processes do not join. The
///          processes that have joined then wait for abort_launched().
std::shared_ptr<ProcessGroup> launched_group(const Launch& launch, std::chrono::milliseconds timeout,
                                             const std::function<void(const Ending&)>& on_end);

/// Terminates this process and all others with the exit code. Joins the group first if it has not yet, and returns only
/// if this has failed before.
/// report  called before the processes end, with the rank of this one
/// errors  those of launched_group()
void abort_launched(const Launch& launch, std::chrono::milliseconds timeout,
                    const std::function<void(const Ending&)>& on_end, int exit_code,
                    const std::function<void(int64_t rank)>& report);

/// Leaves the group of launched_group(). Every process calls it before it ends, after its last exchange.
/// returns  the failure of another process while this one waited for it to leave; never with MPI
[[nodiscard]] std::optional<Ending> end_launched_group();

}  // namespace portatune
