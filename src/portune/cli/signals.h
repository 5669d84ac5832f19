// SIGINT and SIGTERM ask a command to come to an end; a second one ends the process at once.
#pragma once

#include <filesystem>

namespace portune::cli {

/// From here on SIGINT and SIGTERM only ask for a stop (base/stop.h), and the second of them leaves with 128 + its
/// number.
void catch_signals();

/// What the second signal removes before it leaves: a file, and its folder if there is nothing else in it. Empty:
/// nothing.
void remove_at_second_signal(const std::filesystem::path& file);

/// The signal that was caught, or 0.
int caught_signal();

}  // namespace portune::cli
