// JSON text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "portatune/json_object.h"

namespace portatune::io {

/// JSON text without a newline. Replaces bytes that are not UTF-8, as in paths and ids.
std::string json_text(const nlohmann::ordered_json& value);
/// Same as json_text(), with a newline.
std::string line_of(const nlohmann::ordered_json& object);
/// The same on several lines, with a newline at the end of each, for files that people read.
std::string indented_text(const nlohmann::ordered_json& value);

}  // namespace portatune::io
