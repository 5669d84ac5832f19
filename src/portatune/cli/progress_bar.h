// One line on the terminal that tells how far training has come.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "portatune/tasks.h"

namespace portatune::cli {

/// Where progress is shown, and by which clock: given from outside, so that tests can stand in for both.
struct Terminal {
  bool rewrites = false;                        ///< lines can be overwritten; if not, they are written now and then
  std::function<int()> columns;                 ///< width; asked for at every drawing, as windows change
  std::function<double()> now_s;                ///< monotonic
  std::function<void(std::string_view)> write;  ///< text, with its line ends
};

/// The width of the terminal that a file descriptor is open on; 80 if it is none.
int terminal_columns(int descriptor);

/// stderr. `plain`: as if it were no terminal.
Terminal stderr_terminal(bool plain);

/// Seconds between drawings on a terminal, and between lines elsewhere.
inline constexpr double kRedraw_s = 0.1, kPlainLine_s = 30;

/// On a terminal the line is drawn anew at most ten times a second, and is never wider than the terminal: what does not
/// fit is left out, the least important first. Elsewhere (a file, a log) there is a line every 30 seconds.
class ProgressBar {
 public:
  explicit ProgressBar(Terminal terminal);
  ~ProgressBar() { close(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// loss    of this step; shown is an exponential mean
  /// tokens  of this step
  /// waited  share of the time that the device had to wait for input
  void update(int64_t step, int64_t total, double loss, TokenCount tokens, double waited = 0);
  /// A line of its own, above the bar.
  void print(std::string_view line);
  /// Leaves the last state of the bar on the terminal and goes to the next line.
  void close();

 private:
  struct Sample {
    double time_s;
    int64_t step, tokens;
  };

  std::string line(int columns) const;
  std::string rate() const;
  std::string time_left() const;
  void draw();

  Terminal terminal_;
  int64_t step_ = 0, total_ = 0;
  double loss_sum_ = 0, loss_weight_ = 0;
  TokenCount tokens_;
  double waited_ = 0;
  std::deque<Sample> samples_;  // of the last steps, for what is shown per second
  double drawn_s_;
  bool open_ = false;   // there is a line that the next drawing overwrites
  bool stale_ = false;  // the line does not show the last step
};

/// 83 s as "1:23".
std::string clock_of(double seconds);
/// "[####......]" with a share of 0.4.
std::string bar(int width, double share);

}  // namespace portatune::cli
