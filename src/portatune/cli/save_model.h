// Saving what a run has trained, so that a save that fails loses nothing.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/cli/commands.h"

namespace portatune::cli {

/// Says on stderr what has happened, and the command that goes on from the checkpoint. Also if quiet: without it the
/// work would be lost.
void tell_how_to_go_on(const FitArguments& a, const std::filesystem::path& checkpoint, const std::string& what);

/// Saves the model to --output. Where that fails, sees to it that there is a checkpoint: that of the last step, else a
/// new one in --output or in the folder for temporary files. Says how to go on from it, or that there is none. Of
/// several processes all call it.
/// errors  those of Trainer::save, after that
void save_model(Trainer& trainer, const FitArguments& a);

}  // namespace portatune::cli
