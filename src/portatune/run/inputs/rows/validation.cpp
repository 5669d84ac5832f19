#include "portatune/run/inputs/rows/validation.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/sources.h"
#include "portatune/train/evaluation/evaluation.h"

namespace portatune::run {
namespace {

bool matches_files(const std::string& word) {
  try {
    return data::matching_files({word}) != std::vector{word};
  } catch (const NotFoundError&) {
    return false;
  }
}

// Name and file. An existing file with "=" in its name, and a pattern of such files, has no name of a set.
std::pair<std::string, std::string> split(const std::string& word) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const size_t end = word.find_first_not_of(kName);
  const bool named = end != std::string::npos && end > 0 && word[end] == '=';
  // A URL has a colon before any "=".
  const bool is_file = !io::is_remote(word) && (std::filesystem::exists(word) || matches_files(word));
  if (!named || is_file) return {"", word};
  return {word.substr(0, end), word.substr(end + 1)};
}

}  // namespace

std::vector<NamedFiles> named_files(const std::vector<std::string>& words) {
  std::vector<NamedFiles> sets;
  for (const std::string& word : words) {
    const auto [name, file] = split(word);
    const auto found = std::ranges::find(sets, name, &NamedFiles::name);
    NamedFiles& set = found == sets.end() ? sets.emplace_back(NamedFiles{.name = name, .files = {}}) : *found;
    set.files.push_back(file);
  }
  return sets;
}

std::vector<ValidationSet> validation_sets(const ModelOptions& model, const std::vector<std::string>& words,
                                           const RowTask& task, int64_t batch_size, int64_t max_rows) {
  constexpr auto kLabels = RowTask::Labels::kRequired;
  std::vector<ValidationSet> sets;
  for (const NamedFiles& set : named_files(words)) {
    const data::Dataset rows = first_rows(read_rows(model, set.files, task, kLabels), max_rows);
    sets.push_back({set.name, rows, evaluation_batches(model, task, rows, batch_size, kLabels)});
  }
  return sets;
}

Scores evaluate_all(Trainer& trainer, std::span<const ValidationSet> sets, RowProgress& progress) {
  Scores all;
  for (const ValidationSet& set : sets) {
    const Scores scores = train::with_name(set.name, trainer.evaluate(progress.over(interruptible(set.batches))));
    progress.finish();
    all.insert(all.end(), scores.begin(), scores.end());
  }
  return all;
}

}  // namespace portatune::run
