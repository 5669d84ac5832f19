// README.md of a trained model: the model card that the Hugging Face Hub shows.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/run.h"
#include "portatune/run/records/metrics_log.h"

namespace portatune::run {

inline constexpr const char* kModelCardFile = "README.md";

/// Whether the file is absent, or a card of an earlier run: one with the comment that cards have.
bool may_write_card(const std::filesystem::path& file);

/// The text of the card: metadata, scores, settings, and how to use the model.
/// options  those of resolved_options()
std::string model_card(const RunOptions& run, const Json& options, const Outcome& outcome);

}  // namespace portatune::run
