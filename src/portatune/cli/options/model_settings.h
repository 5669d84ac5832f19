// portatune.json in a model's folder: the options of its training that evaluate and predict also need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/cli/options/recipes/recipe.h"
#include "portatune/run.h"
#include "portatune/run/predictions/used_models.h"

namespace portatune::cli {

struct Reporting;

/// The settings in the folder of the model, or in those of its adapters. Nullopt if there is no such file, or if --task
/// asks for another task.
/// errors  CheckpointError that names file and line for a file that is no JSON object of known settings; UsageError for
///         adapters with different settings
std::optional<Recipe> read_settings(const run::ModelOptions& model, const std::vector<run::NamedAdapter>& adapters);

/// Reports the settings of the file that are used, if any.
void report_settings(const run::ModelOptions& model, const std::vector<run::NamedAdapter>& adapters,
                     const std::vector<std::string>& settings, const Reporting& reporting);

}  // namespace portatune::cli
