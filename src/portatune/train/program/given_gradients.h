// Gradients that a user gives to a step.
#pragma once

#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/nn.h"
#include "portatune/train.h"
#include "portatune/train/program/step_layout.h"

namespace portatune::train {

/// The name of the loss among the inputs of update_program().
inline constexpr const char* kGivenLoss = "loss";
/// The name of a parameter's gradient among the inputs of update_program().
std::string input_of_gradient(const nn::Parameter& parameter);

/// All inputs of update_program(): the loss, then the gradients of the trainable parameters.
/// parameters  all of the model
Signature signature_of_gradients(const std::vector<nn::Parameter>& parameters);

/// Puts the loss and the gradients on the device, in the order of signature_of_gradients().
/// errors  UsageError unless there is one gradient for each trainable parameter, and no other; ShapeError for one of
///         another type than its parameter; DataError if the processes of a group have different ones
std::vector<DeviceArray> put_gradients(const Gradients& gradients, const std::vector<nn::Parameter>& parameters,
                                       const Device& device);

}  // namespace portatune::train
