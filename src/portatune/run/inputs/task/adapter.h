// The adapters of a run.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/run.h"

namespace portatune::run {

/// The adapters that a run trains: new ones, with the targets of the architecture and the modules of heads; those of
/// `model`, if it is an adapter; none.
/// model   folder that the run starts from: a model, an adapter or a checkpoint
/// errors  UsageError for new adapters beside those of RunOptions::model
std::optional<Lora> adapters_of(const RunOptions& options, const std::filesystem::path& model);

}  // namespace portatune::run
