// The config.json of a fine-tuned model, made from that of the original model.
#pragma once

#include <string>
#include <string_view>

#include "portatune/hub.h"

namespace portatune::hub {

/// Applies changes to the text of a config.json. All other keys, known or unknown, and the order of the keys stay.
/// text      the original config.json
/// where     its name in errors
/// errors    CheckpointError if `text` is not a JSON object; UsageError for a label that is not UTF-8 or occurs twice,
///           and for a value that is no JSON
std::string edit_config(std::string_view text, const std::string& where, const ConfigChanges& changes);

}  // namespace portatune::hub
