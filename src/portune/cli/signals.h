// SIGINT and SIGTERM ask a command to come to an end; a second one ends the process at once.
#pragma once

namespace portune::cli {

/// From here on SIGINT and SIGTERM only set a flag, and the second of them leaves with 128 + its number.
void catch_signals();

/// The signal that was caught, or 0.
int caught_signal();

}  // namespace portune::cli
