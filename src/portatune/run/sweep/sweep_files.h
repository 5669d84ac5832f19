// The results of a sweep in its output folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/sweep/sweep_state.h"

namespace portatune::run {

/// Name of the folder with the best model.
inline constexpr const char* kBestFolder = "best";

/// Removes the trials and the results of an earlier sweep.
void remove_earlier_sweep(const std::filesystem::path& output);

/// Copies the model of a trial with its records, without checkpoints, to the folder of the best model, atomically.
void copy_best_model(const std::filesystem::path& output, const std::string& trial);

/// Removes the weights and the checkpoints of a trial; its records stay.
void remove_weights(const std::filesystem::path& trial);

/// Writes sweep.csv: a line for each trial with its settings, seed, steps, scores and error.
void write_table(const std::filesystem::path& output, const std::vector<Trial>& trials, const SweepState& state);

/// Writes report.html with the table of configurations and the curves of all trials that have a log. A failure is a
/// warning.
void write_page(const SweepOutcome& outcome, size_t trials, Events& events);

}  // namespace portatune::run
