// The training history of a saved model: the file training_run.json in its folder.
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
  int64_t steps = 0;           ///< steps made
  bool stopped_early = false;  ///< whether early stopping ended the run, perhaps before its last step
  int64_t planned_steps = 0;   ///< all steps of a run that has ended with fewer; 0: it has made all
  RunFacts run;
  RunFacts machine;                     ///< as in machine_facts()
  std::vector<std::string> deviations;  ///< as in Trainer::deviations()
  Scores initial_scores;                ///< from before the first step; empty: not measured
};

/// Adds the file to a model folder during its writing.
void write_run_record(const std::filesystem::path& folder, const RunRecord& record);

/// Reads the file; nothing if the folder has none.
/// errors  CheckpointError if the file is invalid
std::optional<RunRecord> find_run_record(const std::filesystem::path& folder);

/// Scores as a list of objects in a JSON file, in their order. A score that is not a number is null.
nlohmann::ordered_json json_of(const Scores& scores);
/// Reads such a list; empty if the key is absent.
Scores scores_of(const io::JsonObject& object, std::string_view key);

}  // namespace portatune::train
