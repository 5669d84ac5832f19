// The first row of files, for tasks whose columns depend on those of the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::tasks {

/// The first readable row with all of its columns; none if no row is readable, which the real pass reports.
std::optional<data::Example> first_row(const std::vector<std::string>& files, data::TableOptions table);

}  // namespace portatune::tasks
