// SIGINT and SIGTERM ask a command to come to an end; a second one ends the process at once.
#pragma once

#include <filesystem>

namespace portune::cli {

enum class OnSignal {
  kRequestStop,  ///< all that takes or waits for long ends: base/stop.h
  kNote          ///< for caught_signal() alone; SIGUSR1 counts, too, as that is what mpirun passes on
};

/// From here on that is all that SIGINT and SIGTERM do, and the second of them leaves with 128 + its number.
void catch_signals(OnSignal on = OnSignal::kRequestStop);

/// What the second signal removes before it leaves: a file, and its folder if there is nothing else in it. Empty:
/// nothing.
void remove_at_second_signal(const std::filesystem::path& file);

/// The signal that was caught, or 0.
int caught_signal();

/// "SIGINT", "SIGTERM" or "SIGUSR1".
const char* name_of_signal(int signal);

}  // namespace portune::cli
