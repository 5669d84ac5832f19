#include "portatune/analysis/plan/accelerators.h"

#include <vector>

namespace portatune::plan {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

constexpr int64_t kMaxGpus = 4096;

constexpr int64_t gib(double number) { return static_cast<int64_t>(number * kGiB); }

// At precision HIGHEST, which Portatune requests for float32 types, a TPU multiplies in six passes of bfloat16
// (openxla.org, StableHLO's DotAlgorithm BF16_BF16_F32_X6).
constexpr Peaks tpu_peaks(double bfloat16, double bytes, double links) {
  return {.float32 = bfloat16 / 6, .bfloat16 = bfloat16, .bytes = bytes, .links = links};
}

Accelerator tpu(std::string_view name, std::string_view topology, int64_t counted_per_device, int64_t max_counted,
                int64_t memory_bytes, const Peaks& peaks) {
  return {name, "tpu", topology, counted_per_device, max_counted, memory_bytes, peaks, std::nullopt};
}

Accelerator gpu(std::string_view name, int64_t memory_bytes, const Peaks& peaks, const GpuFacts& facts) {
  return {name, "cuda", {}, 1, kMaxGpus, memory_bytes, peaks, facts};
}

constexpr GpuFacts hopper(std::string_view name) {
  return {name, 9, 0, 132, 128, 2048, 233472, 232448, 52428800, 1.98};
}

constexpr GpuFacts ampere(std::string_view name) { return {name, 8, 0, 108, 64, 2048, 167936, 166912, 41943040, 1.41}; }

}  // namespace

// Peaks of TPUs: docs.cloud.google.com/tpu/docs/{v3,v4,v5e,v5p,v6e,tpu7x}, and for v2 Jouppi et al., "A Domain-Specific
// Supercomputer for Training Deep Neural Networks", CACM 2020. The sources count per chip; the numbers here are halved
// if each of a chip's two cores is a device (v2, v3, v4, 7x; machines may join those of a v4, for which libtpu does not
// compile by itself).
// Maximum in a name: a pod's chips (512 cores of v2, 2048 of v3; 4096 chips of v4, 8960 of v5p, 9216 of 7x, with two
// cores each; 256 of v5e and v6e).
// Memory: the capacity that the compiler of libtpu 0.0.51 reports when a program exceeds it, a little less than the
// built-in memory.
//
// GPUs: peaks from NVIDIA's data sheets (H100, H200: 989.4 and 67 TFLOP/s; A100: 312 and 19.5; L4: 121 and 30.3),
// without sparsity; products of float32 run without tensor cores, since TF32 is less exact. Sizes, clocks, memory and
// bandwidth: openxla/xla, xla/backends/gpu/target_config/specs/*.txtpb, unchanged (for the H200 those of its data
// sheet). There is none for the L4: it has AD104's sizes of compute capability 8.9 (CUDA C++ Programming Guide, table
// of technical specifications), 58 cores and 48 MiB of L2 cache, 300 GB/s (data sheet), and the memory that PyTorch
// finds on one (22.03 GiB).
//
// Links, in one direction. TPUs: half of the "bidirectional ICI bandwidth per chip" of those pages; for v2 and v3 four
// links of 496 and 656 Gbit/s (the article of 2020), for v4 six of 50 GB/s (Jouppi et al., ISCA 2023); a chip's devices
// share them, and a slice whose ends are not joined uses fewer. GPUs: half of NVLink's figure in the data sheets; for
// the L4, which has none, that of 16 lanes of PCI Express 4.
std::span<const Accelerator> accelerators() {
  static const std::vector<Accelerator> kAll = {
      {"cpu", "cpu", {}, 1, 1, 0, {}, std::nullopt},
      tpu("tpu:v2", "v2:2x2", 1, 512, gib(7.48), tpu_peaks(23 * kTera, 350 * kGiga, 124 * kGiga)),
      tpu("tpu:v3", "v3:2x2", 1, 2048, gib(15.48), tpu_peaks(61.5 * kTera, 450 * kGiga, 164 * kGiga)),
      tpu("tpu:v4", "v4:2x2x1", 1, 8192, gib(15.25), tpu_peaks(137.5 * kTera, 600 * kGiga, 150 * kGiga)),
      tpu("tpu:v5e", "v5e:2x2", 1, 256, gib(15.75), tpu_peaks(197 * kTera, 819 * kGiga, 200 * kGiga)),
      tpu("tpu:v5p", "v5p:2x2x1", 2, 17920, gib(95.73), tpu_peaks(459 * kTera, 2765 * kGiga, 600 * kGiga)),
      tpu("tpu:v6e", "v6e:2x2", 1, 256, gib(31.24), tpu_peaks(918 * kTera, 1638 * kGiga, 400 * kGiga)),
      tpu("tpu:7x", "tpu7x:2x2x1", 1, 18432, gib(94.74), tpu_peaks(1153.5 * kTera, 3690 * kGiga, 300 * kGiga)),
      gpu("cuda:h100", 84942979072, {67 * kTera, 989.4 * kTera, 3352.32 * kGiga, 450 * kGiga},
          hopper("NVIDIA H100 80GB HBM3")),
      gpu("cuda:h200", 151397597184, {67 * kTera, 989.4 * kTera, 4800 * kGiga, 450 * kGiga},
          hopper("NVIDIA H200 141GB HBM3e")),
      gpu("cuda:a100-40gb", 42331013120, {19.5 * kTera, 312 * kTera, 1555.2 * kGiga, 300 * kGiga},
          ampere("NVIDIA A100-SXM4-40GB")),
      gpu("cuda:a100-80gb", 85100068864, {19.5 * kTera, 312 * kTera, 2039.04 * kGiga, 300 * kGiga},
          ampere("NVIDIA A100-SXM4-80GB")),
      gpu("cuda:l4", gib(22.03), {30.3 * kTera, 121 * kTera, 300 * kGiga, 32 * kGiga},
          {"NVIDIA L4", 8, 9, 58, 128, 1536, 102400, 101376, 50331648, 2.04}),
  };
  return kAll;
}

}  // namespace portatune::plan
