// The parameters of a compiled program.
#pragma once

#include <span>
#include <vector>

#include "portatune/nn.h"

namespace portatune::nn {

/// The parameters of a model whose programs compute these results: first the arguments of the programs, then buffers
/// that no result depends on, which lose their values. These are read and saved with the weights, but no device
/// computes with them: tensors that transformers saves although a model does not use them.
std::vector<Parameter> parameters_of(const Context& context, std::span<const Value> results);

/// The arguments among them.
std::span<const Parameter> arguments_of(std::span<const Parameter> parameters);

/// Parameter::input of each.
Values inputs_of(std::span<const Parameter> parameters);

}  // namespace portatune::nn
