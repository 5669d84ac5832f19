// The search for the model folder of a command, before anything else is opened.
#pragma once

#include "portatune/cli/command_line.h"

namespace portatune::cli {

/// The command with the folders that hub::find_model() finds for --model and --tokenizer. Reports which folder of the
/// Hugging Face cache is used. A run that resumes from a checkpoint does not need its first model any more.
/// errors  those of hub::find_model()
Command with_model_folders(Command command);

}  // namespace portatune::cli
