// A line on the terminal with the number of rows that a pass over data has read.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/cli/progress_bar.h"
#include "portatune/run.h"

namespace portatune::cli {

struct Talk;

/// Shows "evaluating: 1,024 rows  350 rows/s", and from the second pass on also the share and the time left. The line
/// is drawn as that of ProgressBar, but disappears at the end of the pass.
class RowBar final : public run::RowProgress {
 public:
  /// activity  "evaluating"
  RowBar(const Talk& talk, std::string activity);
  RowBar(Terminal terminal, std::string activity);
  ~RowBar() override { finish_line(); }
  RowBar(const RowBar&) = delete;
  RowBar& operator=(const RowBar&) = delete;

  void finish() override { finish_line(); }

 private:
  void on_rows(int64_t rows) override;
  void finish_line();
  std::string line() const;
  void draw();

  Terminal terminal_;
  const std::string activity_;
  int64_t done_ = 0, total_ = 0;  // rows of this pass and of the last one; total_ is 0 if it is unknown
  double begun_s_ = 0, drawn_s_ = 0;
  bool open_ = false;  // whether there is a line on the terminal
};

}  // namespace portatune::cli
