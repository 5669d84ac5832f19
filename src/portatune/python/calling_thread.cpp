#include "portatune/python/calling_thread.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include "portatune/base/threads/stop.h"
#include "portatune/error.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// The time between two looks at signals.
constexpr std::chrono::milliseconds kPause(50);

// The object whose work this thread does; null: none.
thread_local CallingThread* worked_for = nullptr;

// Ends the process at Ctrl-C while this object lives. Afterwards the earlier handler returns, with its flags and mask.
class FatalInterrupt {
 public:
  FatalInterrupt() {
    struct sigaction fatal = {};
    fatal.sa_handler = SIG_DFL;
    sigaction(SIGINT, &fatal, &earlier_);
  }
  ~FatalInterrupt() { sigaction(SIGINT, &earlier_, nullptr); }
  FatalInterrupt(const FatalInterrupt&) = delete;
  FatalInterrupt& operator=(const FatalInterrupt&) = delete;

 private:
  struct sigaction earlier_ = {};
};

// A plugin has threads, which a forked child lacks: it would wait for them for ever.
void require_no_fork() {
  static const pid_t first = getpid();
  if (getpid() == first) return;
  throw UsageError({.where = "portatune",
                    .given = "a process that was forked after a run in its parent",
                    .expected = "a process of its own",
                    .fix = "multiprocessing.set_start_method(\"spawn\"), or fork before the first run"});
}

}  // namespace

void CallingThread::run(const std::function<void()>& work) {
  require_no_fork();
  std::exception_ptr error;
  {
    const nb::gil_scoped_release unlocked;
    std::thread worker([&] {
      const StopScope scope(stop_.token());
      worked_for = this;
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      is_done_ = true;
      changed_.notify_all();
    });
    std::optional<FatalInterrupt> fatal;
    for (std::unique_lock lock(mutex_); !is_done_;) {
      changed_.wait_for(lock, kPause, [this] { return is_done_ || call_ != nullptr; });
      if (call_ != nullptr) make_call();
      if (!interrupt_) {
        lock.unlock();
        handle_signals();
        lock.lock();
      }
      if (interrupt_ && !fatal) fatal.emplace();
    }
    worker.join();
  }
  if (interrupt_) std::rethrow_exception(interrupt_);
  if (error) std::rethrow_exception(error);
}

void CallingThread::call(const std::function<void()>& function) {
  const std::lock_guard one_at_a_time(calls_);
  std::unique_lock lock(mutex_);
  call_ = &function;
  changed_.notify_all();
  changed_.wait(lock, [this] { return call_ == nullptr; });
  if (call_error_) std::rethrow_exception(std::exchange(call_error_, nullptr));
}

// The caller waits, so its function stays valid, and the mutex may stay locked.
void CallingThread::make_call() {
  const nb::gil_scoped_acquire locked;
  try {
    (*call_)();
  } catch (const nb::python_error& error) {
    const bool is_interrupt = error.matches(PyExc_KeyboardInterrupt);
    if (is_interrupt) interrupt(std::current_exception());
    call_error_ = is_interrupt ? std::make_exception_ptr(Stopped()) : std::current_exception();
  } catch (...) {
    call_error_ = std::current_exception();
  }
  call_ = nullptr;
  changed_.notify_all();
}

void CallingThread::handle_signals() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) interrupt(std::make_exception_ptr(nb::python_error()));
}

void CallingThread::interrupt(std::exception_ptr exception) {
  interrupt_ = std::move(exception);
  stop_.request_stop();
}

void call_python(const std::function<void()>& function) {
  if (worked_for != nullptr) return worked_for->call(function);
  const nb::gil_scoped_acquire locked;
  function();
}

}  // namespace portatune::python
