// The result of a sweep as text.
#pragma once

#include <string>

#include "portatune/run.h"

namespace portatune::cli {

std::string table_of(const run::SweepOutcome& outcome);

}  // namespace portatune::cli
