// The adapters of a run, and of a model that is not trained.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/run.h"

namespace portatune::run {

/// The adapters that a run trains: new ones, with the targets of the architecture and the modules of heads; those of
/// `model`, if it is an adapter; none.
/// model   folder that the run starts from: a model, an adapter or a checkpoint
/// errors  UsageError for new adapters beside those of RunOptions::model, and for new adapters of a model whose path
///         is not UTF-8
std::optional<Lora> adapters_of(const RunOptions& options, const std::filesystem::path& model);

/// The options of a Trainer that evaluates a trained model or predicts with it.
/// model  folder of a model or an adapter
TrainingOptions options_without_training(const std::filesystem::path& model, DType dtype);

}  // namespace portatune::run
