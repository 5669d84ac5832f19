// Initial values of a model's parameters.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "portatune/hub.h"
#include "portatune/nn.h"

namespace portatune::hub {

class ModelFolder;

/// A new value of a parameter. Its initializer draws it from (seed, name) alone, so it is the same on every machine.
Tensor draw(const nn::Parameter& parameter, uint64_t seed);
/// The same, also for a parameter whose initial value depends on an earlier one: Initializer::Kind::kNorms.
/// values  those of the first of `parameters`, up to the one before `parameter`
Tensor initial_value(const nn::Parameter& parameter, std::span<const nn::Parameter> parameters,
                     std::span<const Tensor> values, uint64_t seed);

/// New values of all parameters, for training from scratch.
InitialWeights draw_weights(std::span<const nn::Parameter> parameters, uint64_t seed);

/// Requires that the checkpoint has all parameters except those that may be new.
/// parameters  number of parameters
/// errors      CheckpointError with some missing parameters, their number and advice
void require_weights(const LoadReport& report, size_t parameters, NewWeights allowed);

/// Values from a checkpoint, as float32. A parameter `prefix.x` is of the body, and is also found as `x`, in
/// checkpoints of the bare encoder. If no parameter has the prefix, that of some classes for question answering counts,
/// "transformer", under which `prefix.x` is also found; without either, all but those of kHeadModules are of the body.
/// Missing values are initialised at random; so is a parameter outside of the body (a head) that the checkpoint has
/// with another shape, which counts as missing. Buffers are never missing.
/// errors  CheckpointError naming the tensor for another shape within the body, or elements that are not floats; for a
///         folder without weights; those of verify_weights()
InitialWeights load_weights(const ModelFolder& folder, std::span<const nn::Parameter> parameters,
                            const std::string& prefix, uint64_t seed);

}  // namespace portatune::hub
