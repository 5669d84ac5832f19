// Saving what a run has trained, so that a save that fails loses nothing.
#pragma once

#include <filesystem>

#include "portatune/cli/commands.h"
#include "portatune/run/events.h"

namespace portatune::cli {

/// Saves the model to --output, and tries again where that fails. Where it fails for good, the checkpoint of the last
/// step stays, or one is saved: in --output, in a folder `<output>.rescued-XXXXXX` beside it, or in one among the
/// temporary files. Where only a model fits, that is saved there. Reports what is saved, or that nothing is. Of several
/// processes all call it.
/// errors  those of Trainer::save, after that
void save_model(const Trainer& trainer, const FitArguments& a, run::Events& events);

/// Saves the checkpoint of a run that ends before its last step, in the same way.
/// returns  where it is in --output
/// errors   those of Trainer::save_checkpoint, after it has reported what is saved elsewhere
std::filesystem::path save_stopped_run(const Trainer& trainer, const FitArguments& a, run::Events& events);

}  // namespace portatune::cli
