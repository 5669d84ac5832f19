// Processes that exchange by one of the plug-ins of exchange_api.h.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "portatune/process_group.h"
#include "portatune/processes/launch.h"
#include "portatune/processes/session.h"

namespace portatune {

/// The processes that a launcher has started together with this one; the first call begins the exchanges. One process
/// alone is a group, too.
/// timeout  for process 0 to answer, and in process 0 for the others to come, where they know each other from the
///           environment
/// on_end    is called once, on another thread, when another of them fails or vanishes; never with MPI, which ends all
/// errors    DeviceError if there is no plug-in, or nobody answers, or some do not come. Those that have come then wait
///           for abort_launched().
std::shared_ptr<ProcessGroup> launched_group(const Launch& launch, std::chrono::milliseconds timeout,
                                             const std::function<void(const Ending&)>& on_end);

/// Ends this process and all others with the exit code; joins them first, if it has not yet. Returns if it has tried to
/// meet them in vain.
/// tell    is called before they end, with the number of this process
/// errors  as of launched_group()
void abort_launched(const Launch& launch, std::chrono::milliseconds timeout,
                    const std::function<void(const Ending&)>& on_end, int exit_code,
                    const std::function<void(int64_t rank)>& tell);

/// Ends what launched_group() has begun: every process calls it before it ends, with no exchange behind it.
/// returns  what another one has failed with while this one waited for it to end; never with MPI
[[nodiscard]] std::optional<Ending> end_launched_group();

}  // namespace portatune
