// The texts of the mistakes that a report shows.
#pragma once

#include <span>

#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/records/metrics_log.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Texts of the rows that report::shown_evaluations() name as mistakes, shortened: [[file, row, [text, ...]], ...].
/// Reads the validation sets until it has them.
/// errors  those of the data, Stopped after a stop request
Json mistake_texts(const RunPlan& plan, std::span<const ValidationSet> sets);

}  // namespace portatune::run
