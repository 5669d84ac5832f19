// Long work on a thread of its own, so that Ctrl-C works and Python's functions run where Python called.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "portatune/error.h"

namespace portatune::python {

/// The thread that has called a function of the module. While other threads work, it waits without the interpreter's
/// lock, handles signals and makes the calls of Python for them: notebooks, progress bars and plots expect their
/// thread.
class CallingThread {
 public:
  /// Runs `work` on another thread and returns when it has ended. A signal handler that raises, as that of Ctrl-C does,
  /// requests the stop, which `work` must follow; a second Ctrl-C ends the process at once.
  /// errors  the exception of the signal handler, else those of `work`; UsageError in a process that was forked after
  ///         its parent has called this
  void run(const std::function<void()>& work);

  /// Runs `function` on the calling thread, with the interpreter's lock, and waits for it. For threads that work.
  /// errors  those of `function`; Stopped in place of KeyboardInterrupt, which requests the stop and which run() throws
  ///         at its end
  void call(const std::function<void()>& function);

  /// The token of the stop that a signal requests.
  StopToken stop() const { return stop_.token(); }
  /// Requests the same stop.
  void request_stop() { stop_.request_stop(); }

 private:
  void make_call();
  void handle_signals();
  void interrupt(std::exception_ptr exception);

  StopSource stop_;
  std::mutex calls_;  // held by the thread whose call is made or waits
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  const std::function<void()>* call_ = nullptr;
  std::exception_ptr call_error_;
  bool is_done_ = false;
  std::exception_ptr interrupt_;  // of the calling thread alone
};

/// CallingThread::call() of the CallingThread whose work the current thread does. Any other thread calls `function`
/// itself, with the interpreter's lock.
void call_python(const std::function<void()>& function);

}  // namespace portatune::python
