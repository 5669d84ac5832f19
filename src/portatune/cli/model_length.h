// The default of --max-length for models with fewer positions.
#pragma once

#include <filesystem>

namespace portatune::cli {

struct ModelArguments;
struct Talk;

/// Lowers max_length to the positions of the model in `folder`, and says so, unless --max-length was given.
void lower_max_length(ModelArguments& model, const std::filesystem::path& folder, const Talk& talk);

}  // namespace portatune::cli
