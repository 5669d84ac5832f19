// The evaluations of a run that the page shows in detail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace portatune::report {

/// Name of the file with the errors of each evaluation in the output folder of a run.
inline constexpr const char* kEvaluationsFile = "evaluations.jsonl";

/// The steps of the checkpoints in the output folder of a run, ascending.
std::vector<int64_t> saved_steps(const std::filesystem::path& folder);

/// Step of the best evaluation, by trainer_state.json of the folder or of its newest checkpoint; 0: none is the best.
int64_t best_step(const std::filesystem::path& folder);

/// The lines of evaluations.jsonl of the best evaluation and of the last one, in the order of the file. Lines of
/// another form, such as the last one of a killed run, are skipped. Empty if the file is absent or cannot be read.
std::vector<nlohmann::ordered_json> shown_evaluations(const std::filesystem::path& folder);

}  // namespace portatune::report
