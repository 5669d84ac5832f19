#include "portatune/cli/train/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/analysis/report/page.h"
#include "portatune/base/text/message.h"
#include "portatune/run/sweep/sweep_files.h"

namespace portatune::cli {
namespace {

using Cells = std::vector<std::string>;

// "0.8312 ± 0.0041", or "0.8312, 1 failed".
std::string score_cell(const run::SweepRow& row) {
  const auto count = std::ranges::count_if(row.scores, [](const auto& score) { return score.has_value(); });
  if (count == 0) return "failed";
  std::string text = fmt::format("{:.4f}", row.mean);
  if (count > 1) text += fmt::format(" ± {:.4f}", row.deviation);
  return count == std::ssize(row.scores) ? text : text + fmt::format(", {} failed", std::ssize(row.scores) - count);
}

Cells cells_of(const run::SweepRow& row, bool is_best) {
  Cells cells;
  for (const auto& [name, value] : row.settings) cells.push_back(value);
  cells.insert(cells.end(), {score_cell(row), std::to_string(row.steps), is_best ? "best" : ""});
  return cells;
}

// The number of characters of UTF-8.
size_t characters(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The rows as a table with left-aligned columns.
std::string text_of(const std::vector<Cells>& rows) {
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      size_t width = 0;
      for (const Cells& other : rows) width = std::max(width, characters(other[column]));
      line += row[column] + std::string(width - characters(row[column]) + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string table_of(const run::SweepOutcome& outcome) {
  Cells header;
  for (const auto& [name, value] : outcome.rows.front().settings) header.push_back(name);
  header.insert(header.end(), {outcome.metric, "steps", ""});
  std::vector<Cells> rows = {header};
  for (const run::SweepRow& row : outcome.rows) {
    rows.push_back(cells_of(row, !outcome.best.empty() && &row == &outcome.rows.front()));
  }
  std::string text = text_of(rows);
  for (const run::FailedTrial& trial : outcome.failed) text += fmt::format("{} failed: {}\n", trial.name, trial.error);
  if (!outcome.best.empty()) {
    text += fmt::format("{:<20}{}, of {}\n", "best model", (outcome.output / run::kBestFolder).string(), outcome.best);
  }
  return text + fmt::format("{:<20}{}\n", "report", (outcome.output / report::kPageFile).string());
}

}  // namespace portatune::cli
