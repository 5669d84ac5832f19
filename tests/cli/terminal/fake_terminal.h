// A terminal in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "portatune/cli/terminal/progress_bar.h"

namespace portatune::cli {

/// A terminal whose clock and width the test sets, and which keeps what is written.
struct FakeTerminal {
  double now_s = 0;
  int columns = 120;
  std::string written;

  Terminal terminal(bool rewrites) {
    return {.rewrites = rewrites,
            .columns = [this] { return columns; },
            .now_s = [this] { return now_s; },
            .write = [this](std::string_view text) { written += text; }};
  }
  /// The text that was written since the last call.
  std::string take() { return std::exchange(written, {}); }
};

}  // namespace portatune::cli
