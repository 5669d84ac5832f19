// The rows that a model is measured on: one set of them, or several with names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/run/events.h"
#include "portatune/tasks.h"
#include "portatune/train.h"

namespace portatune::cli {

struct NamedFiles {
  std::string name;  ///< empty: the only set has none
  std::vector<std::string> files;
};
/// Words of the command line, FILE or NAME=FILE, as sets in the order of their first files.
std::vector<NamedFiles> named_files(const std::vector<std::string>& words);

struct ValidationSet {
  std::string name;
  data::Dataset rows, batches;
};
/// words   as those of named_files()
/// errors  those of RowTask::read
std::vector<ValidationSet> validation_sets(const ModelArguments& model, const std::vector<std::string>& words,
                                           const RowTask& task, int64_t batch_size);

/// Scores of a set under names of their own: "matched_accuracy", as transformers has it for a dict of datasets.
Scores with_name(const std::string& set, Scores scores);

/// The scores of all sets. A signal that was caught ends it with Stopped.
Scores evaluate_all(Trainer& trainer, std::span<const ValidationSet> sets, run::RowProgress& progress);

}  // namespace portatune::cli
