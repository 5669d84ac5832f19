// Values in place of those in config.json.
#pragma once

#include <filesystem>

#include "portatune/hub.h"
#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// A model folder with the values of ModelOptions::config_overrides.
/// folder  that of the options, or the checkpoint that is resumed
/// errors  UsageError for a text of another form than KEY=VALUE,..., and for a key that is given twice
ModelSource source_of(const ModelOptions& model, const std::filesystem::path& folder);

/// Checks that the model of a task, which has read the keys that it knows, knows those of config_overrides. It also
/// knows keys that have an effect in transformers alone.
/// errors  UsageError that names an unknown key
void require_known_overrides(const ModelOptions& model, const RowTask& task);

}  // namespace portatune::run
