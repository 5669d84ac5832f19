// portatune.json in a model folder: the options of the training that evaluate and predict need, too.
#pragma once

#include <string>
#include <string_view>

#include "portatune/run.h"

namespace portatune::run {

/// Whether the file may have this key.
bool is_kept(std::string_view key);

/// The text of the file: the task, max_length where the task has one, and the given options that may be in it.
std::string settings_text(const RunOptions& a);

}  // namespace portatune::run
