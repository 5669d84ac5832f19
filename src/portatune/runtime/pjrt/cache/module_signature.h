// The parameters of a module's entry function.
#pragma once

#include <string_view>
#include <vector>

#include "portatune/tensor.h"

namespace portatune::pjrt {

struct Parameter {
  TensorType type;
  bool donated = false;  ///< whether its buffer may become that of a result
};

/// The parameters of `@main`, read from the text of a StableHLO module. Plugins do not report them, and some accept
/// arrays of a wrong element type.
/// errors    UsageError if there is no `@main`, or a parameter is not a tensor of static shape
std::vector<Parameter> read_parameters(std::string_view module_text);

}  // namespace portatune::pjrt
