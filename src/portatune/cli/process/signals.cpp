#include "portatune/cli/process/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include "portatune/cli/process/exit_code.h"

namespace portatune::cli {
namespace {

// Signals, and therefore the state here, belong to the process. Two threads may each handle one at the same time.
std::atomic<int> caught = 0;
static_assert(decltype(caught)::is_always_lock_free, "a handler may use no other atomics");
// Never destroyed, because a signal may come while the process exits.
StopSource& stop = *std::make_unique<StopSource>().release();
const char* line_of_first = nullptr;
// Fixed memory, since a handler may not allocate; a path that is too long is not removed.
std::array<char, 4096> file_to_remove = {}, folder_to_remove = {};

void copy(const std::string& text, std::array<char, 4096>& place) {
  place[0] = '\0';
  if (text.size() < place.size()) std::memcpy(place.data(), text.c_str(), text.size() + 1);
}

// Only async-signal-safe calls are allowed here, because the signal may interrupt malloc.
extern "C" void on_signal(int number) {
  int none = 0;
  if (!caught.compare_exchange_strong(none, number)) {
    if (number == SIGHUP) return;
    if (file_to_remove[0] != '\0' && unlink(file_to_remove.data()) == 0) rmdir(folder_to_remove.data());
    _exit(kSignal + number);
  }
  const int error_number = errno;
  if (line_of_first != nullptr && write(STDERR_FILENO, line_of_first, std::strlen(line_of_first)) < 0) {
    // A failed write cannot be reported.
  }
  stop.request_stop();
  errno = error_number;  // of the interrupted code
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

void remove_at_second_signal(const std::filesystem::path& file) {
  copy(file.parent_path().string(), folder_to_remove);
  copy(file.string(), file_to_remove);
}

void say_at_first_signal(const char* line) { line_of_first = line; }

StopToken stop_at_signal() { return stop.token(); }

int caught_signal() { return caught; }

const char* name_of_signal(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGUSR1";
  }
}

}  // namespace portatune::cli
