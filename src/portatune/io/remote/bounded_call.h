// Calls of libraries that support neither deadlines nor stop requests.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// Runs `work` on its own thread. If the process exits meanwhile, it ends at once and skips the destructors of
/// libraries, because the work may be inside one of them.
void run_detached(std::function<void()> work);

/// Waits until is_ready(time) returns true; is_ready itself waits up to that time.
/// errors  TemporaryFault after the deadline; Stopped
void wait_until_ready(const std::function<bool(Seconds)>& is_ready, Clock::time_point deadline);

/// Returns the result of call(). A call that exceeds the deadline continues in the background, so it must own
/// everything it uses.
/// errors  as call(); TemporaryFault after the deadline; Stopped
template <class Call>
auto bounded_call(Call call, Clock::time_point deadline) {
  const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Call>()>>(std::move(call));
  auto result = task->get_future();
  run_detached([task] { (*task)(); });
  wait_until_ready([&](Seconds time) { return result.wait_for(time) == std::future_status::ready; }, deadline);
  return result.get();
}

}  // namespace portatune::io
