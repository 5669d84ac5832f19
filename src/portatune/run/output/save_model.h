// Saving the model or a checkpoint of a run. A failed save loses nothing.
#pragma once

#include <filesystem>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

/// Saves the model to the output folder, with retries. If they fail, the checkpoint of the last step stays, or is saved
/// in the output folder, in a folder `<output>.rescued-XXXXXX` beside it, or in one among the temporary files. The
/// model is saved there instead if no checkpoint fits, if the model is not that of the last step, or if the run is a
/// fold, a trial or a stage. Reports what is saved, or that nothing is, and report_rests(). All processes call it.
/// model_step  step of the weights
/// errors      those of Trainer::save, after the rescue
void save_model(const Trainer& trainer, int64_t model_step, const RunOptions& a, Events& events);

/// Reports folders beside `folder` with entries that a save could not keep in it (io::rest_folders).
/// known  those that were reported before
void report_rests(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& known, Events& events);

/// Folder in the output folder for the model with averaged weights (TrainingOptions::ema).
inline constexpr const char* kAverageFolder = "ema";
/// Saves that model, if there are averaged weights, and calls report_rests(). A failure is reported, and does not end
/// the run.
/// errors  NumericError
void save_average(Trainer& trainer, const RunOptions& a, Events& events);

/// Saves the checkpoint of a run that ends before its last step, in the same way.
/// returns  its path in the output folder
/// errors   those of Trainer::save_checkpoint, after the rescue
std::filesystem::path save_stopped_run(const Trainer& trainer, const RunOptions& a, Events& events);

}  // namespace portatune::run
