// Calls of libraries that know neither deadlines nor requests to stop.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// Runs `work` on a thread of its own. If the process is to end meanwhile it does so at once, without the destructors
/// of libraries, one of which the work may be in.
void run_detached(std::function<void()> work);

/// Waits until is_ready(time), which itself waits for as long as that, gives true.
/// errors  TemporaryFault after the deadline; Stopped
void wait_until_ready(const std::function<bool(Seconds)>& is_ready, Clock::time_point deadline);

/// What call() gives. If it does not end in time it is left to itself: it must own all that it uses.
/// errors  those of call(); TemporaryFault after the deadline; Stopped
template <class Call>
auto bounded_call(Call call, Clock::time_point deadline) {
  const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Call>()>>(std::move(call));
  auto result = task->get_future();
  run_detached([task] { (*task)(); });
  wait_until_ready([&](Seconds time) { return result.wait_for(time) == std::future_status::ready; }, deadline);
  return result.get();
}

}  // namespace portatune::io
