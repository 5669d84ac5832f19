// The settings of the two training runs that a comparison differs in, in words such as "cpu,no-kernels".
#pragma once

#include <string>

#include "portatune/device.h"
#include "portatune/tensor.h"

namespace portatune::run {

struct RunSetting {
  DeviceOptions device;
  DType dtype = DType::kFloat32;
};

/// The setting with changes by words, separated by commas and in any order: a device (cpu, cuda, cuda:0,1, tpu),
/// kernels or no-kernels, cudnn-attention or no-cudnn-attention, float32, bfloat16 or float16, a mesh (data=4,fsdp=2;
/// data=1 is one device). For another kind of device its plugin is searched for.
/// errors  UsageError for any other word, with the nearest of these, and for two words of one kind
RunSetting changed(RunSetting setting, const std::string& words);

/// "cpu, no-kernels, float32, data=8".
std::string describe(const RunSetting& setting);

/// Whether one client can run the programs of both; many plugins give a device to only one client.
bool share_device(const RunSetting& a, const RunSetting& b);

}  // namespace portatune::run
