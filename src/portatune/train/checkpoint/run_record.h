// How a saved model was trained: the file training_run.json in its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "portatune/io/text/json.h"
#include "portatune/tasks.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::train {

inline constexpr const char* kRunRecordFile = "training_run.json";

struct RunRecord {
  int64_t steps = 0;  ///< steps made
  RunFacts run;
  RunFacts machine;                     ///< as machine_facts() has it
  std::vector<std::string> deviations;  ///< as Trainer::deviations()
  Scores initial_scores;                ///< from before the first step; empty: not measured
};

/// Adds the file to a model folder that is being written.
void write_run_record(const std::filesystem::path& folder, const RunRecord& record);

/// Nothing if the folder has no such file.
/// errors  CheckpointError if the file makes no sense
std::optional<RunRecord> find_run_record(const std::filesystem::path& folder);

/// Scores in a JSON file: a list of objects, in their order. A score that is not a number is null there.
nlohmann::ordered_json json_of(const Scores& scores);
/// Empty if the key is absent.
Scores scores_of(const io::JsonObject& object, std::string_view key);

}  // namespace portatune::train
