// Batches of evaluations and predictions that the devices of a mesh divide among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// Number of rows of a batch over all devices. Devices along `tensor` work on the same rows.
/// batch_size  rows on each device
int64_t rows_on(const Mesh& mesh, int64_t batch_size);

/// option  the option of the files, for the error
/// errors  UsageError for standard input in several processes, of which only one could read it
void require_files_for_all(const DeviceOptions& device, const char* option, const std::vector<std::string>& files);

/// What a task needs whose loss is not a mean over rows, for errors.
inline constexpr const char* kWholeBatches =
    "whole batches, because the loss is a sum of several means, and the losses of parts do not add up to it";

/// errors  UsageError for a batch that devices divide, if the loss of the task is not a mean over rows
void require_divisible_loss(const RowTask& task, const Mesh& mesh);

}  // namespace portatune::run
