#include "portatune/base/text/message.h"
#include "portatune/device.h"
#include "portatune/option_fields.h"

namespace portatune {

template <>
struct OptionType<Mesh> : OptionTypeOf<Mesh, OptionKind::kText> {
  /// errors  those of parse_mesh()
  static std::optional<Mesh> read(const std::string& text) { return parse_mesh(text); }
  static std::string text(const Mesh& mesh) { return to_string(mesh); }
};

void GpuMemoryOptions::describe(OptionFields& fields) {
  fields.group("Device");
  // Above 1, CUDA would page memory to the host, which is seldom intended.
  fields("gpu_memory_fraction", fraction, "share of a GPU's memory that may be taken",
         {.lowest = kAboveZero, .highest = 1, .default_help = "0.75"});
  fields("gpu_preallocate", preallocate, "take it at the start, in one piece (default)", {.sets = "true"});
  fields("no_gpu_preallocate", preallocate, "take it as it is needed", {.sets = "false"});
  fields("gpu_allocator", allocator, "GPU allocator",
         {.choices = {{"bfc"}, {"cuda_async"}, {"platform"}}, .default_help = "bfc"});
}

void DeviceOptions::describe(OptionFields& fields) {
  fields.group("Device");
  fields("device", device, "where to run: cpu, cuda, cuda:0,1, tpu", {.decides = false});
  fields("plugin", plugin, "the XLA plugin's file", {.decides = false, .default_help = "looked for"});
  fields("no_kernels", use_kernels, "compile every part, without hand-tuned kernels", {.sets = "false"});
  fields("cudnn_attention", cudnn_attention, "on GPUs, compute attention by cuDNN where it can");
  fields("cache_folder", cache_folder, "where compiled programs are kept",
         {.default_help = "~/.cache/portatune/executables"});
  fields("no_cache", use_cache, "compile again, keep nothing", {.sets = "false"});
  fields("compiled", programs_folder, "programs that portatune plan --save has compiled for this device");
  gpu_memory.describe(fields);
  fields("mesh", mesh,
         "several devices: data=8 for data parallelism, fsdp=8 to shard weights, tensor=2 for tensor parallelism",
         {.placeholder = "AXIS=N,...", .default_help = "one"});
}

}  // namespace portatune
