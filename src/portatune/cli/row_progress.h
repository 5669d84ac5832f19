// One line on the terminal with the number of rows that a pass over data has read.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/cli/progress_bar.h"
#include "portatune/data.h"

namespace portatune::cli {

struct Talk;

/// Shows "evaluating: 1,024 rows  350 rows/s", and from the second pass on also the share and the time left. The line
/// is drawn as that of ProgressBar, but disappears at the end of the pass.
class RowProgress {
 public:
  /// what  "evaluating"
  RowProgress(const Talk& talk, std::string what);
  RowProgress(Terminal terminal, std::string what);
  ~RowProgress() { finish(); }
  RowProgress(const RowProgress&) = delete;
  RowProgress& operator=(const RowProgress&) = delete;

  void add(int64_t rows);
  /// The pass is over. The next one is taken to have as many rows.
  void finish();

  /// The rows of all passes.
  int64_t rows() const { return all_; }

  /// The batches, whose rows are counted when they are read. This object must outlive the pass.
  data::Dataset over(const data::Dataset& batches);

 private:
  std::string line() const;
  void draw();

  Terminal terminal_;
  const std::string what_;
  int64_t done_ = 0, total_ = 0, all_ = 0;  // total: 0 if it is not known
  double begun_s_ = 0, drawn_s_ = 0;
  bool open_ = false;  // there is a line on the terminal
};

}  // namespace portatune::cli
