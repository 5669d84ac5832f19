// The search for the model folder of a command, before anything else is opened.
#pragma once

#include <string>
#include <vector>

#include "portatune/cli/options/command_line.h"

namespace portatune::cli {

/// The command with the folders that hub::find_model() finds for --model and --tokenizer. Downloads models that are
/// missing and have names of the Hugging Face Hub. Reports which folder of the Hugging Face cache is used. A run that
/// resumes from a checkpoint does not need its first model any more.
/// words   the words of the command, which are parsed again after a download, because a model brings its settings
/// errors  those of hub::find_model() and download_from_hub()
Command with_model_folders(Command command, const std::vector<std::string>& words);

}  // namespace portatune::cli
