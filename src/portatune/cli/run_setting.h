// Where and how a training run is computed, as `portatune parity` compares it: in words such as "cpu,no-kernels".
#pragma once

#include <string>

#include "portatune/device.h"
#include "portatune/tensor.h"

namespace portatune::cli {

struct RunSetting {
  DeviceOptions device;
  DType dtype = DType::kFloat32;
};

/// The same but for what is named, separated by commas and in any order: a device (cpu, cuda, cuda:0,1, tpu), kernels
/// or no-kernels, cudnn-attention or no-cudnn-attention, float32, bfloat16 or float16, a mesh (data=4,fsdp=2; data=1 is
/// one device). Another kind of device has another plugin, which is looked for.
/// errors  UsageError for a word that is none of these, with the nearest, and for two of one kind
RunSetting changed(RunSetting setting, const std::string& words);

/// "cpu, no-kernels, float32, data=8".
std::string describe(const RunSetting& setting);

/// Whether programs of both can run by one client: many a plugin has a device for one client alone.
bool share_device(const RunSetting& a, const RunSetting& b);

}  // namespace portatune::cli
