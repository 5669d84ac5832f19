// Memory and work of a training step, as its graph says.
#pragma once

#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/records/metrics_log.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Facts about the largest step of a run on each device, in bytes and floating-point operations of matrix products:
///   {"parameters": 4, "optimizer": 8, "batch": 16, "flops": 1e9, "shapes": 1,
///    "peak": {"flops": 1e12, "device": "cuda:h200"}}
/// "shapes" is the number of shapes of batches; "peak" is present for the GPUs of plan::accelerators().
/// Reads the rows of the first batch; null if there is none.
/// errors  those of the data
Json step_cost(const RunPlan& plan, const data::Dataset& train, const Device& device);

}  // namespace portatune::run
