// The default of max_length for models with fewer positions.
#pragma once

#include <filesystem>

#include "portatune/run.h"

namespace portatune::run {

/// Lowers max_length to the number of positions of the model in `folder` and reports it, unless --max-length is given.
void lower_max_length(ModelOptions& model, const std::filesystem::path& folder, Events& events);

}  // namespace portatune::run
