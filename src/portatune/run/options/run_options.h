// The description of the options of a run.
#pragma once

#include "portatune/run.h"

namespace portatune::run {

/// Help text on the files that the options of rows accept (data::table_files).
inline constexpr const char* kRowFiles =
    "rows: .csv, .tsv, .jsonl, .txt, .parquet, .arrow, .tar, .tfrecord; a folder, a pattern; hf:org/name";

/// Checks each described option of a run, its training, its adapters and its evaluations against the rules of the
/// option, and the options of the training against each other.
/// errors  UsageError that names the option
void check_options_of_run(const RunOptions& options);

}  // namespace portatune::run
