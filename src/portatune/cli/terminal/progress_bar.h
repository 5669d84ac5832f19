// Progress bars of steps and of rows.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// The terminal and the clock of a progress bar, which tests replace.
struct Terminal {
  bool rewrites = false;                        ///< whether lines can be overwritten; else one is written now and then
  std::function<int()> columns;                 ///< width; read at every drawing, as windows change
  std::function<double()> now_s;                ///< monotonic time in seconds
  std::function<void(std::string_view)> write;  ///< text, with its line ends
};

/// The width of the terminal that a file descriptor is open on; 80 if it is none.
int terminal_columns(int descriptor);

/// The terminal of stderr; with `plain`, stderr is treated as a file.
Terminal stderr_terminal(bool plain);

/// Seconds between drawings on a terminal, and between lines elsewhere.
inline constexpr double kRedraw_s = 0.1, kPlainLine_s = 30;

/// Shows "epoch 2/3  310/792 [####......]  loss 0.3958  lr 3.0e-05  1,224 tokens/s  2:58, 4:51 left" and, if there is
/// any, the share of padding and of waiting; "2:58" is the time since the construction. On a terminal the line is
/// redrawn at most ten times a second, and is never wider than the terminal: the least important parts are left out
/// until it fits. Elsewhere (a file, a log) a line is written every 30 seconds.
class ProgressBar {
 public:
  /// steps_per_epoch  the epoch is shown if there are several; 0: there are no epochs
  explicit ProgressBar(Terminal terminal, int64_t steps_per_epoch = 0);
  ~ProgressBar() { close(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  struct Step {
    int64_t step = 0, total = 0;  ///< number of this step, counted from 1, and of all steps
    int64_t omitted = 0;          ///< number of steps that earlier epochs lack because they were ended
    double loss = 0;              ///< loss of this step; the bar shows an exponential mean
    double learning_rate = 0;
    TokenCount tokens = {};  ///< token counts of this step
    double waited = 0;       ///< share of the time that the device had to wait for input
  };
  void update(const Step& step);
  /// Prints a separate line above the bar.
  void print(std::string_view line);
  /// Leaves the last state of the bar on the terminal and goes to the next line.
  void close();

 private:
  struct Sample {
    double time_s;
    int64_t step, tokens;
  };

  struct Part;

  std::string line(int columns) const;
  std::vector<Part> parts() const;
  std::string epoch() const;
  std::string rate() const;
  std::string padding() const;
  std::string times() const;
  void draw();

  Terminal terminal_;
  const int64_t steps_per_epoch_;
  const double begun_s_;
  Step last_;
  double loss_sum_ = 0, loss_weight_ = 0;
  TokenCount tokens_;           // of all steps
  std::deque<Sample> samples_;  // of the last steps, for the rates per second
  double drawn_s_;
  bool open_ = false;   // whether there is a line that the next drawing overwrites
  bool stale_ = false;  // whether the line does not show the last step
};

/// 83 s as "1:23".
std::string clock_of(double seconds);
/// "[####......]" with a share of 0.4.
std::string bar(int width, double share);

struct Reporting;

/// Shows "evaluating: 1,024 rows  350 rows/s", and from the second pass on also the share and the time left. The line
/// is drawn as that of ProgressBar, but disappears at the end of the pass.
class RowBar final : public run::RowProgress {
 public:
  /// activity  "evaluating"
  /// unit      name of the counted elements
  RowBar(const Reporting& reporting, std::string activity, std::string unit = "rows");
  RowBar(Terminal terminal, std::string activity, std::string unit = "rows");
  ~RowBar() override { hide(); }
  RowBar(const RowBar&) = delete;
  RowBar& operator=(const RowBar&) = delete;

  void finish() override;
  void hide() override;

 private:
  void on_rows(int64_t rows) override;
  std::string line() const;
  void draw();

  Terminal terminal_;
  const std::string activity_, unit_;
  int64_t done_ = 0, total_ = 0;  // rows of this pass and of the last one; total_ is 0 if it is unknown
  double begun_s_ = 0, drawn_s_ = 0;
  bool open_ = false;  // whether there is a line on the terminal
};

}  // namespace portatune::cli
