#include "portatune/io/remote/retries.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <random>
#include <thread>

#include "portatune/base/environment.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

constexpr const char* kVariable = "PORTATUNE_REMOTE_TIMEOUT";
constexpr Seconds kDefaultTimeout{120}, kMaxAttempt{60}, kMaxLasting{5};
constexpr Seconds kFirstWait{0.2}, kMaxWait{30};

Seconds total_timeout() {
  const std::optional<std::string> given = environment_variable(kVariable);
  if (!given) return kDefaultTimeout;
  const auto seconds = number_in<double>(*given);
  if (seconds && *seconds > 0 && std::isfinite(*seconds)) return Seconds(*seconds);
  throw UsageError({.where = kVariable, .given = *given, .expected = "a number of seconds"});
}

double random_part() {
  thread_local std::mt19937 random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.5, 1)(random);
}

void sleep(Seconds wait) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
  while (Clock::now() < end) {
    stop_if_requested();
    std::this_thread::sleep_for(std::min<Seconds>(end - Clock::now(), Seconds(0.05)));
  }
}

std::string text_of(Seconds time) {
  const double tenths = std::round(time.count() * 10);
  std::string text = std::to_string(static_cast<int64_t>(tenths) / 10);
  if (const auto rest = static_cast<int64_t>(tenths) % 10; rest != 0) text += "." + std::to_string(rest);
  return text + " s";
}

}  // namespace

Retries::Retries(std::string name) : name_(std::move(name)), timeout_(total_timeout()) {}

Clock::time_point Retries::deadline() const {
  const Clock::time_point now = Clock::now();
  const Seconds left = timeout_ - (now - begin_);
  return now + std::chrono::duration_cast<Clock::duration>(std::clamp(left, Seconds(0.1), kMaxAttempt));
}

void Retries::wait_after(const TemporaryFault& fault) {
  stop_if_requested();
  ++attempts_;
  const Seconds usual = std::min(kMaxWait, kFirstWait * std::exp2(attempts_ - 1)) * random_part();
  const Seconds wait = std::max(usual, fault.asked_wait);
  const Seconds timeout = fault.is_mostly_lasting ? std::min(timeout_, kMaxLasting) : timeout_;
  const Seconds spent = Clock::now() - begin_;
  if (spent + wait < timeout) return sleep(wait);
  std::string given = fault.what + ", after " + counted(attempts_, "attempt") + " in " + text_of(spent);
  if (fault.asked_wait > Seconds(0)) given += "; the server asks for a pause of " + text_of(fault.asked_wait);
  throw IoError(
      {.where = name_,
       .given = given,
       .expected = "an answer within " + text_of(timeout),
       .fix = std::string("check the network and the server, or set a longer timeout: ") + kVariable + "=600"},
      ETIMEDOUT);
}

}  // namespace portatune::io
