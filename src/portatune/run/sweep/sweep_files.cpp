#include "portatune/run/sweep/sweep_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "portatune/analysis/report/page.h"
#include "portatune/analysis/report/run_log.h"
#include "portatune/base/files/output_file.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/text/csv.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/report_files.h"
#include "portatune/run/output/save_model.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableFile = "sweep.csv";

bool is_weights(const fs::path& file) {
  return file.extension() == ".safetensors" || file.filename().string().ends_with(".safetensors.index.json");
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + io::csv_field(cells[i]);
  return line + "\n";
}

// Names in the order of their first appearance.
void add_name(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

template <class Pairs>
std::string text_of(const Pairs& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, [](const auto& pair) { return pair.first; });
  return found == pairs.end() ? "" : fmt::format("{}", found->second);
}

Scores last_scores(const TrialState& state) { return state.last() == nullptr ? Scores() : state.last()->scores; }

// The configurations, the best first.
report::PageTable table_of(const SweepOutcome& outcome) {
  report::PageTable table{.title = "Configurations", .head = {}, .rows = {}};
  for (const auto& [name, value] : outcome.rows.front().settings) table.head.push_back(name);
  table.head.insert(table.head.end(), {outcome.metric, "standard deviation", "steps", "trials"});
  for (const SweepRow& row : outcome.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const auto& [name, value] : row.settings) cells.push_back(value);
    const bool has_failed = std::isnan(row.mean);
    cells.insert(cells.end(), {has_failed ? "failed" : fmt::format("{:.4f}", row.mean),
                               has_failed ? "" : fmt::format("{:.4f}", row.deviation), std::to_string(row.steps),
                               fmt::format("{}", fmt::join(row.trials, ", "))});
  }
  return table;
}

}  // namespace

void remove_earlier_sweep(const fs::path& output) {
  remove_earlier_runs(output, "trial-", {kSweepFile, kTableFile, report::kPageFile, kBestFolder});
}

void copy_best_model(const fs::path& output, const std::string& trial) {
  io::recover_directory(output / kBestFolder);
  io::AtomicDirectory best(output / kBestFolder);
  for (const fs::directory_entry& entry : fs::directory_iterator(output / trial)) {
    if (train::is_of_checkpoint(entry)) continue;
    fs::copy(entry.path(), best.staging() / entry.path().filename(), fs::copy_options::recursive);
  }
  best.commit();
}

void remove_weights(const fs::path& trial) {
  if (!fs::is_directory(trial)) return;
  std::vector<fs::path> weights;
  for (const fs::directory_entry& entry : fs::directory_iterator(trial)) {
    const bool is_average = entry.path().filename() == kAverageFolder;
    if (train::is_of_checkpoint(entry) || is_weights(entry.path()) || is_average) weights.push_back(entry.path());
  }
  for (const fs::path& path : weights) fs::remove_all(path);
}

void write_table(const fs::path& output, const std::vector<Trial>& trials, const SweepState& state) {
  std::vector<std::string> settings, scores;
  for (size_t i = 0; i < trials.size(); ++i) {
    for (const auto& [name, value] : trials[i].settings) add_name(settings, name);
    for (const auto& [name, value] : last_scores(state.trial(i))) add_name(scores, name);
  }
  std::vector<std::string> header = {"trial"};
  header.insert(header.end(), settings.begin(), settings.end());
  header.insert(header.end(), {"seed", "steps"});
  header.insert(header.end(), scores.begin(), scores.end());
  header.emplace_back("error");
  std::string table = line_of(header);
  for (size_t i = 0; i < trials.size(); ++i) {
    const TrialState& trial = state.trial(i);
    std::vector<std::string> cells = {trial_name(i)};
    for (const std::string& name : settings) cells.push_back(text_of(trials[i].settings, name));
    cells.push_back(std::to_string(trials[i].options.training.seed));
    cells.push_back(trial.last() == nullptr ? "" : std::to_string(trial.last()->step));
    for (const std::string& name : scores) cells.push_back(text_of(last_scores(trial), name));
    cells.push_back(trial.error);
    table += line_of(cells);
  }
  replace_file(output / kTableFile, table);
}

void write_page(const SweepOutcome& outcome, size_t trials, Events& events) {
  const fs::path& output = outcome.output;
  std::vector<fs::path> folders;
  for (size_t i = 0; i < trials; ++i) {
    if (fs::exists(output / trial_name(i) / report::kLogFile)) folders.push_back(output / trial_name(i));
  }
  const auto write = [&] {
    const report::PageTable table = table_of(outcome);
    replace_file(output / report::kPageFile, report::page_of(folders, &table));
  };
  write_or_warn(write, events);
}

}  // namespace portatune::run
