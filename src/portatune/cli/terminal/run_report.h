// The comparison of two runs as text; run/probes/probe_json.h has its JSON.
#pragma once

#include <string>

#include "portatune/run/probes/compared_runs.h"

namespace portatune::cli {

/// A table with a row for each step, a row for each of the tensors that differ most, and the verdict.
std::string table_of(const run::ComparedRuns& runs);

}  // namespace portatune::cli
