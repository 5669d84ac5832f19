// JSON as values of templates.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "portune/jinja/value.h"

namespace portune::jinja {

/// Keys keep their order; integers beyond 64 bits become floats.
Value from_json(const nlohmann::ordered_json& json);

}  // namespace portune::jinja
