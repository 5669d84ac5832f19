#include "portune/cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "portune/cli/exit_code.h"

namespace portune::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

// Only async-signal-safe calls are allowed here: the signal may have come in the midst of malloc.
extern "C" void on_signal(int number) {
  if (caught != 0) _exit(kSignal + number);
  caught = number;
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int caught_signal() { return caught; }

}  // namespace portune::cli
