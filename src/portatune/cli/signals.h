// SIGINT, SIGTERM, SIGUSR1 and SIGHUP ask a command to come to an end; a second one ends the process at once.
#pragma once

#include <filesystem>

namespace portatune::cli {

enum class OnSignal {
  kRequestStop,  ///< all that takes or waits for long ends: base/stop.h
  kNote          ///< for caught_signal() alone
};

/// From here on that is all that these signals do, and the second of them leaves with 128 + its number. SIGUSR1 is what
/// mpirun and schedulers pass on; SIGHUP, the end of a terminal or connection, stays ignored where it is (nohup), and
/// never ends the process at once, as shell and system both send it.
void catch_signals(OnSignal on = OnSignal::kRequestStop);

/// What the second signal removes before it leaves: a file, and its folder if there is nothing else in it. Empty:
/// nothing.
void remove_at_second_signal(const std::filesystem::path& file);

/// What is said on stderr at the first signal, where what it asks for may take long. It must outlive the command.
void say_at_first_signal(const char* line);

/// The signal that was caught, or 0.
int caught_signal();

/// "SIGINT", "SIGTERM", "SIGUSR1" or "SIGHUP".
const char* name_of_signal(int signal);

}  // namespace portatune::cli
