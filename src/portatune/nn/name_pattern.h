// Parts of parameter names, as users write them.
#pragma once

#include <string_view>

#include "portatune/nn.h"

namespace portatune::nn {

/// Returns whether consecutive modules of a parameter's name match those of a pattern: "encoder.layer" matches
/// "bert.encoder.layer.3.output.dense.bias". A range of numbers is a module, too: "encoder.layer.0-5".
bool matches(std::string_view name, std::string_view pattern);
/// Returns whether a pattern matches the name of a parameter, or another name of a tied weight.
bool matches(const Parameter& parameter, std::string_view pattern);

}  // namespace portatune::nn
