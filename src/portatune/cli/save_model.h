// Saving what a run has trained, so that a save that fails loses nothing.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/cli/commands.h"

namespace portatune::cli {

/// Says on stderr what has happened, and the command that goes on from the checkpoint. Also if quiet: without it the
/// work would be lost.
void tell_how_to_go_on(const FitArguments& a, const std::filesystem::path& checkpoint, const std::string& what);

/// Saves the model to --output, and tries again where that fails. Where it fails for good, the checkpoint of the last
/// step stays, or one is saved: in --output, in a folder `<output>.rescued-XXXXXX` beside it, or in one among the
/// temporary files. Where only a model fits, that is saved there. Says how to go on from it, or that there is none. Of
/// several processes all call it.
/// errors  those of Trainer::save, after that
void save_model(const Trainer& trainer, const FitArguments& a);

/// Saves the checkpoint of a run that ends before its last step, in the same way.
/// returns  where it is in --output
/// errors   those of Trainer::save_checkpoint, after it has told what is saved elsewhere
std::filesystem::path save_stopped_run(const Trainer& trainer, const FitArguments& a);

}  // namespace portatune::cli
