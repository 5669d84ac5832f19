// Retries of requests to servers.
#pragma once

#include <chrono>
#include <string>

namespace portatune::io {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Thrown by an attempt if a retry may succeed. Does not leave with_retries().
struct TemporaryFault {
  std::string what;                ///< the fault: "HTTP status 503"
  Seconds asked_wait{0};           ///< wait that the server asks for before the next attempt
  bool is_mostly_lasting = false;  ///< whether a retry seldom helps, as for an unknown host name
};

/// Exponential back-off: each wait is twice as long, up to 30 s, and is shortened by a random part so that many clients
/// do not retry at once. All attempts and waits together take at most $PORTATUNE_REMOTE_TIMEOUT seconds, 120 by
/// default; one attempt takes at most 60.
class Retries {
 public:
  /// name  the requested file, for errors
  explicit Retries(std::string name);

  /// The deadline of an attempt that begins now.
  Clock::time_point deadline() const;
  /// Waits before the next attempt.
  /// errors  IoError if there is no time left for it; Stopped
  void wait_after(const TemporaryFault& fault);

 private:
  const std::string name_;
  const Clock::time_point begin_ = Clock::now();
  const Seconds timeout_;
  int attempts_ = 0;
};

/// Calls attempt(deadline) until it returns, and returns its result. Passes on all errors except TemporaryFault.
template <class Attempt>
auto with_retries(const std::string& name, const Attempt& attempt) {
  Retries retries(name);
  for (;;) {
    try {
      return attempt(retries.deadline());
    } catch (const TemporaryFault& fault) {
      retries.wait_after(fault);
    }
  }
}

}  // namespace portatune::io
