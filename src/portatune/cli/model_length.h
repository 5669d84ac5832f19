// The default of --max-length for models with fewer positions.
#pragma once

#include <filesystem>

#include "portatune/run/events.h"

namespace portatune::cli {

struct ModelArguments;

/// Lowers max_length to the positions of the model in `folder`, and reports that, unless --max-length was given.
void lower_max_length(ModelArguments& model, const std::filesystem::path& folder, run::Events& events);

}  // namespace portatune::cli
