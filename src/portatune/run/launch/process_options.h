// The device options of one of several processes.
#pragma once

#include <functional>

#include "portatune/device.h"
#include "portatune/runtime/processes/exchange_group.h"
#include "portatune/runtime/processes/launch.h"

namespace portatune::run {

/// The options of this process of a launch: its process group, its devices, and the mesh data=N of the devices of all
/// processes unless another mesh is given.
/// on_end  see launched_group()
/// errors  DeviceError if the plug-in for exchanges is missing or other processes do not join; UsageError for options
///         that several processes do not support
DeviceOptions process_options(DeviceOptions options, const Launch& launch,
                              const std::function<void(const Ending&)>& on_end);

/// errors  UsageError if several processes have been started for work that one process does
/// what    name of the work for the error: "folds"
void require_one_process(const Launch& launch, const char* what);

}  // namespace portatune::run
