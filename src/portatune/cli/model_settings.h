// portatune.json in a model's folder: the options that it was trained with and that evaluate and predict need, too.
#pragma once

#include <optional>
#include <string>

#include "portatune/cli/recipe.h"

namespace portatune::cli {

struct FitArguments;
struct ModelArguments;
struct Talk;

/// The file's text: the task, max_length where the task has one, and those of the given options that decide how rows
/// are read and encoded.
std::string settings_text(const FitArguments& a);

/// The settings in the folder of the model. Nothing if there is no such file, or if --task asks for another task.
/// errors  CheckpointError that names file and line for what is no JSON object of known settings
std::optional<Recipe> read_settings(const ModelArguments& model);

/// Says which settings of the file are used, if any.
void say_settings(const ModelArguments& model, const Talk& talk);

}  // namespace portatune::cli
