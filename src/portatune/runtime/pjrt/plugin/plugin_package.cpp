#include "portatune/runtime/pjrt/plugin/plugin_package.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;

// The part of a wheel that consists of one folder and keeps its path.
WheelPart part(const char* package, const std::string& folder, const std::string& proof) {
  return {.wheel = pin_of(package), .from = folder, .to = folder, .proof = folder + proof};
}

PluginPackage cpu() {
  return {.name = "cpu",
          .platform = "cpu",
          .file = "xla_cpu_pjrt.so",
          .needs = "nothing",
          .parts = {{.wheel = pin_of("xla-cpu-pjrt"),
                     .from = "xla_plugins/xla_cpu_pjrt/",
                     .to = "",
                     .proof = "xla_cpu_pjrt.so"}}};
}

PluginPackage tpu() {
  return {.name = "tpu",
          .platform = "tpu",
          .file = "libtpu.so",
          .needs = "a Cloud TPU VM, or no TPU if only `portatune plan` is used",
          .parts = {{.wheel = pin_of("libtpu"), .from = "libtpu/", .to = "", .proof = "libtpu.so"}},
          .is_for_x86_64_alone = true};
}

// The dependencies of jax[cuda13] without cuFFT, cuSOLVER, cuSPARSE and NVSHMEM: XLA opens each of these when a program
// first calls it, and Portatune's programs never do.
PluginPackage cuda13() {
  const std::string lib = "nvidia/cu13/lib/";
  return {
      .name = "cuda13",
      .platform = "cuda",
      .file = "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
      .needs = "an NVIDIA driver of version 580 or later, and no CUDA toolkit",
      .parts = {part("jax-cuda13-pjrt", "jax_plugins/", "xla_cuda13/xla_cuda_plugin.so"),
                part("nvidia-cuda-nvcc", "nvidia/cu13/bin/", "ptxas"),
                part("nvidia-nvvm", "nvidia/cu13/nvvm/libdevice/", "libdevice.10.bc"),
                part("nvidia-cuda-runtime", lib, "libcudart.so.13"), part("nvidia-cublas", lib, "libcublas.so.13"),
                part("nvidia-cudnn-cu13", "nvidia/cudnn/lib/", "libcudnn.so.9"),
                part("nvidia-nccl-cu13", "nvidia/nccl/lib/", "libnccl.so.2"),
                part("nvidia-cuda-nvrtc", lib, "libnvrtc.so.13"), part("nvidia-nvjitlink", lib, "libnvJitLink.so.13"),
                part("nvidia-cuda-cupti", lib, "libcupti.so.13")}};
}

PluginPackage cuda12() {
  return {.name = "cuda12",
          .platform = "cuda",
          .file = "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
          .needs = "an NVIDIA driver of version 525 or later, and no CUDA toolkit",
          .parts = {part("jax-cuda12-pjrt", "jax_plugins/", "xla_cuda12/xla_cuda_plugin.so"),
                    part("nvidia-cuda-nvcc-cu12", "nvidia/cuda_nvcc/", "bin/ptxas"),
                    part("nvidia-cuda-runtime-cu12", "nvidia/cuda_runtime/lib/", "libcudart.so.12"),
                    part("nvidia-cublas-cu12", "nvidia/cublas/lib/", "libcublas.so.12"),
                    part("nvidia-cudnn-cu12", "nvidia/cudnn/lib/", "libcudnn.so.9"),
                    part("nvidia-nccl-cu12", "nvidia/nccl/lib/", "libnccl.so.2"),
                    // Only this cuDNN needs it, and looks for it there.
                    {.wheel = pin_of("nvidia-cuda-nvrtc-cu12"),
                     .from = "nvidia/cuda_nvrtc/lib/",
                     .to = "nvidia/nvrtc/lib/",
                     .proof = "nvidia/nvrtc/lib/libnvrtc.so.12"},
                    part("nvidia-nvjitlink-cu12", "nvidia/nvjitlink/lib/", "libnvJitLink.so.12"),
                    part("nvidia-cuda-cupti-cu12", "nvidia/cuda_cupti/lib/", "libcupti.so.12")}};
}

}  // namespace

std::string PluginPackage::folder_name() const {
  std::string name = parts.front().wheel.package + "-" + parts.front().wheel.version;
  std::replace(name.begin(), name.begin() + std::ssize(parts.front().wheel.package), '-', '_');
  return name;
}

std::span<const PluginPackage> plugin_packages() {
  static const std::vector<PluginPackage> packages = {cpu(), cuda13(), cuda12(), tpu()};
  return packages;
}

const PluginPackage& plugin_package(const std::string& name) {
  for (const PluginPackage& package : plugin_packages()) {
    if (package.name == name) return package;
  }
  throw UsageError({.where = "plugin install", .given = "'" + name + "'", .expected = "cpu, cuda13, cuda12 or tpu"});
}

fs::path folder_of(const PluginPackage& package) {
  if (const auto cache = cache_folder()) return *cache / "deps" / package.folder_name();
  throw UsageError({.where = "plugin " + package.name,
                    .given = "neither XDG_CACHE_HOME nor HOME",
                    .expected = "one of them, for the folder of the plugins"});
}

bool is_complete(const PluginPackage& package, const fs::path& folder) {
  std::error_code none;
  return std::ranges::all_of(package.parts,
                             [&](const WheelPart& part) { return fs::is_regular_file(folder / part.proof, none); });
}

}  // namespace portatune::pjrt
