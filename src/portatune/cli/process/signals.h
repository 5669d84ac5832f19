// SIGINT, SIGTERM, SIGUSR1 and SIGHUP ask a command to come to an end; a second one ends the process at once.
#pragma once

#include <filesystem>

#include "portatune/error.h"

namespace portatune::cli {

/// After this call a first signal requests the stop of stop_at_signal(), and a second one ends the process with 128 +
/// its number. mpirun and schedulers pass SIGUSR1 on. SIGHUP, the end of a terminal or connection, stays ignored where
/// it is ignored (nohup), and never ends the process at once, because the shell and the system both send it.
void catch_signals();

/// The stop token of the command.
StopToken stop_at_signal();

/// Sets the file that the second signal removes before it ends the process, and its folder if that is empty then. With
/// an empty path, nothing is removed.
void remove_at_second_signal(const std::filesystem::path& file);

/// Sets the line for stderr at the first signal, for commands that may take long to stop.
/// line  must outlive the command
void say_at_first_signal(const char* line);

/// The signal that was caught, or 0.
int caught_signal();

/// "SIGINT", "SIGTERM", "SIGUSR1" or "SIGHUP".
const char* name_of_signal(int signal);

}  // namespace portatune::cli
