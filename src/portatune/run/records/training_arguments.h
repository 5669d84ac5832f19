// training_args.json: the settings of a run.
#pragma once

#include "portatune/run/opening.h"
#include "portatune/run/records/metrics_log.h"

namespace portatune::run {

/// The options as the run uses them, those of transformers' TrainingArguments under their names there.
Json resolved_options(const Opening& opening);

/// The content of the file: versions, command line, options, the facts that a resume compares (with the hash of the
/// training data), devices and data. Secrets of URLs are left out.
/// training  the options of the trainer
Json training_arguments(const Opening& opening, const TrainingOptions& training);

}  // namespace portatune::run
