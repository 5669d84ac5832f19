// Where the parameters of a model start.
#pragma once

#include "portatune/tasks.h"

namespace portatune::hub {
class ModelFolder;
}

namespace portatune::tasks {

/// A new value for a parameter, drawn by its initializer from (seed, name) alone: the same on every machine.
Tensor draw(const nn::Parameter& parameter, uint64_t seed);

/// Requires that the checkpoint has all parameters but those that may be new.
/// parameters  number of them
/// errors      CheckpointError with some that it lacks, their number and what to do
void require_weights(const LoadReport& report, size_t parameters, NewWeights allowed);

/// Values from a checkpoint, as float32. A parameter `prefix.x` is also found as `x`, in checkpoints of the bare
/// encoder. What is missing is drawn; so is a parameter outside `prefix` (a head) that the checkpoint has with another
/// shape, which counts as missing.
/// errors  CheckpointError naming the tensor for another shape within `prefix`, or elements that are not floats
InitialWeights load_weights(const hub::ModelFolder& folder, std::span<const nn::Parameter> parameters,
                            const std::string& prefix, uint64_t seed);

}  // namespace portatune::tasks
