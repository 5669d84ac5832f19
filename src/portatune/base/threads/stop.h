// The stop token of the run that a thread works for. Long computations and waits poll it by stop_if_requested().
#pragma once

#include <utility>

#include "portatune/error.h"

namespace portatune {

/// Makes a token that of the calling thread while this object lives; afterwards the earlier one returns. A thread has
/// no token at its start, except for tasks of a ThreadPool, which have the token of the thread that submits them.
class StopScope {
 public:
  explicit StopScope(StopToken token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopToken token_;
  const StopToken* const outer_;
};

/// The token of the calling thread.
StopToken current_stop();

/// `work` for another thread, which runs with the token of the thread that calls this function.
template <class Work>
auto with_current_stop(Work work) {
  return [token = current_stop(), work = std::move(work)]() mutable {
    const StopScope scope(token);
    return work();
  };
}

}  // namespace portatune
