// The table of epochs that fit() prints while it trains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune::cli {

/// Lays out a row for each epoch and for each evaluation within one. Columns that do not fit are left out, the last
/// ones first.
///     epoch      step  time  train loss  eval loss  accuracy      F1
///     epoch 1/3   264  2:58      0.5587     0.4213    0.8269  0.8247
class EpochTable {
 public:
  explicit EpochTable(int64_t epochs) : epochs_(epochs) {}

  struct Row {
    double epoch = 0;  ///< number of epochs so far, with a fraction within an epoch
    int64_t step = 0;
    double seconds = 0;  ///< time since the start of training
    std::optional<double> train_loss = {};
    Scores scores = {};
  };
  /// The lines of a row: a head, if it has other columns than the rows before, and the row.
  std::vector<std::string> lines(const Row& row, int columns);

 private:
  const int64_t epochs_;
  std::string head_;  // the last one
};

}  // namespace portatune::cli
