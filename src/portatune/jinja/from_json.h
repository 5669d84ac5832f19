// Conversion of JSON to values of templates.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// Converts JSON. Keys keep their order; integers beyond 64 bits become floats.
Value from_json(const nlohmann::ordered_json& json);

}  // namespace portatune::jinja
