// Checks of a program against the shape of its batches and the parameters of its model.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "portatune/train/program/programs.h"

namespace portatune::train {

/// Requires that the devices and their micro-batches divide the rows of a batch, or have the parts of a packed one.
/// errors  UsageError
void require_parts(const Signature& batch, const Mesh& mesh, int64_t micro_batches);

/// Requires a parameter to train, and parameters for all that the options name: frozen ones, groups, layers with
/// adapters.
/// trainable  the parameters with a gradient
/// errors     UsageError that names the option
void require_trainable_as_asked(const std::deque<nn::Parameter>& parameters, std::span<const nn::Parameter> trainable,
                                const StepOptions& options);

}  // namespace portatune::train
