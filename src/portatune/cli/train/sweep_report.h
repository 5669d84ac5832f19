// The result of a sweep as text and as JSON.
#pragma once

#include <string>

#include "portatune/run.h"

namespace portatune::cli {

std::string table_of(const run::SweepOutcome& outcome);
std::string json_of(const run::SweepOutcome& outcome);

}  // namespace portatune::cli
