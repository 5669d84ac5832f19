// Batches on devices.
#pragma once

#include <vector>

#include "portatune/device.h"
#include "portatune/train/program/batch_shapes.h"

namespace portatune::train {

/// The arrays of a batch on the devices, in the order of the signature. They are copied before this returns.
/// errors  UsageError for a batch with the local rows of another process; DataError if the processes of a group have
///         read different batches
std::vector<DeviceArray> put_batch(const data::Example& batch, const Signature& signature, const Device& device);

}  // namespace portatune::train
