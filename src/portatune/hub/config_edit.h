// The config.json of a fine-tuned model, made from the one that it started from.
#pragma once

#include <string>
#include <string_view>

#include "portatune/config_changes.h"

namespace portatune::hub {

/// The text of a config.json with changes. All other keys, known or not, are kept, and so is the order of the keys.
/// text      the original config.json
/// where     its name, for errors
/// errors    CheckpointError if `text` is not a JSON object; UsageError for a label that is not UTF-8 or comes twice
std::string edit_config(std::string_view text, const std::string& where, const ConfigChanges& changes);

}  // namespace portatune::hub
