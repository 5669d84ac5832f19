// portatune.json in a model folder: the options of the training that evaluate and predict need, too.
#pragma once

#include <string>
#include <string_view>

#include "portatune/run.h"

namespace portatune::run {

/// Whether the file may have this key. It has no others, as a model folder may come from a stranger.
bool is_kept(std::string_view key);

/// The text of the file: the task, max_length where the task has one, and the given options that may be in it.
std::string settings_text(const ModelOptions& model, const RowTask& task);

}  // namespace portatune::run
