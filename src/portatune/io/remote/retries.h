// Requests to a server, tried again where that may help.
#pragma once

#include <chrono>
#include <string>

namespace portatune::io {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Thrown by an attempt that may go well at another time. Does not leave with_retries().
struct TemporaryFault {
  std::string what;                ///< "HTTP status 503"
  Seconds asked_wait{0};           ///< what the server asks for before the next attempt
  bool is_mostly_lasting = false;  ///< a name that is not found, say, which a second attempt seldom mends
};

/// The waits between attempts: twice as long each time, up to 30 s, each cut by a random part, so that many clients do
/// not come back at once. All attempts and waits together take at most $PORTATUNE_REMOTE_TIMEOUT seconds, 120 if it is
/// not set; one attempt at most 60.
class Retries {
 public:
  /// name  what is asked for, as errors have it
  explicit Retries(std::string name);

  /// When an attempt that begins now must have ended.
  Clock::time_point deadline() const;
  /// Waits before the next attempt.
  /// errors  IoError if there is no time for one; Stopped
  void wait_after(const TemporaryFault& fault);

 private:
  const std::string name_;
  const Clock::time_point begin_ = Clock::now();
  const Seconds most_;
  int attempts_ = 0;
};

/// What attempt(deadline) returns, as soon as it does. Its errors but TemporaryFault are handed on.
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
