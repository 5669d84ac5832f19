#include "portatune/cli/terminal/epoch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/score_names.h"

namespace portatune::cli {
namespace {

struct Cell {
  std::string head, text;
  size_t least = 8;

  size_t width() const { return std::max({least, head.size() + 2, text.size() + 1}); }
};

// "epoch 2/3" at the end of an epoch, else "1.14".
std::string label_of(double epoch, int64_t epochs) {
  return epoch == std::floor(epoch) ? fmt::format("epoch {:.0f}/{}", epoch, epochs) : fmt::format("{:.2f}", epoch);
}

std::string four_decimals(double value) { return fmt::format("{:.4f}", value); }

// "eval loss" and the names of the other scores.
std::string head_of(const std::string& score) { return score == "loss" ? "eval loss" : display_name(score); }

std::vector<Cell> cells_of(const EpochTable::Row& row) {
  std::vector<Cell> cells{{"step", fmt::format("{}", row.step), 6},
                          {"time", clock_of(row.seconds), 6},
                          {"train loss", row.train_loss ? four_decimals(*row.train_loss) : "-"}};
  for (const auto& [name, value] : row.scores) cells.push_back({head_of(name), four_decimals(value)});
  return cells;
}

}  // namespace

std::vector<std::string> EpochTable::lines(const Row& row, int columns) {
  const size_t width = label_of(static_cast<double>(epochs_), epochs_).size();
  std::string head = fmt::format("{:<{}}", "epoch", width);
  std::string text = fmt::format("{:<{}}", label_of(row.epoch, epochs_), width);
  for (const Cell& cell : cells_of(row)) {
    if (text.size() + cell.width() > static_cast<size_t>(std::max(columns, 0))) break;
    head += fmt::format("{:>{}}", cell.head, cell.width());
    text += fmt::format("{:>{}}", cell.text, cell.width());
  }
  if (head_.starts_with(head)) return {text};
  head_ = head;
  return {head, text};
}

}  // namespace portatune::cli
