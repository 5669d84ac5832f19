// Attention by blocks beside full attention, forward and backward:
//   block_attention_bench time|memory|full|blocks [LENGTH [ROUNDS]]
// The sizes are those of a layer of bigbird-roberta-base (12 heads of 64, blocks of 64, 3 random blocks), for one text
// in float32.
//   time          the least time of both on the CPU, which take turns
//   memory        temporary memory as XLA counts it, for the CPU with and without kernels, TPU v5e and H100
//   full, blocks  memory that the process takes on the CPU for one of them, with the buffers of kernels
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "portatune/graph/ops/attention/block_sparse_attention.h"
#include "portatune/models/encoders/big_bird_blocks.h"
#include "portatune/portatune.h"
#include "portatune/runtime/target.h"
#include "runtime/pjrt/aot.h"
#include "runtime/pjrt/cpu.h"

namespace portatune {
namespace {

constexpr int64_t kHeads = 12, kHeadSize = 64, kBlock = 64, kRandom = 3;
constexpr double kMB = 1e6;

// The results are the gradients of q, k and v, the output, and a sum of it, which is small to read.
Function attention_of(int64_t length, bool by_blocks) {
  const TensorType type{DType::kFloat32, {1, length, kHeads * kHeadSize}};
  const Value q = parameter("q", type), k = parameter("k", type), v = parameter("v", type);
  const Value dout = parameter("dout", type), mask = parameter("mask", {DType::kInt32, {1, length}});
  const Value bias = reshape((1.0 - convert(mask, DType::kFloat32)) * -10000.0, {1, 1, 1, length});
  const double scale = 1 / std::sqrt(static_cast<double>(kHeadSize));
  Value out;
  if (by_blocks) {
    const std::vector<int32_t> drawn = models::random_blocks({.heads = kHeads,
                                                              .length = length,
                                                              .block_size = kBlock,
                                                              .num_random_blocks = kRandom,
                                                              .max_position_embeddings = 4096,
                                                              .seed = 0});
    const Value random = constant(Tensor({kHeads, length / kBlock - 2, kRandom}, std::span(drawn)));
    out = block_sparse_attention(q, k, v, bias, random,
                                 {.heads = kHeads, .block_size = kBlock, .scale = scale, .random_blocks = kRandom});
  } else {
    out = attention(q, k, v, bias, {.heads = kHeads, .scale = scale});
  }
  const Value loss = sum(out * dout);
  Function function{.parameters = {q, k, v, dout, mask}, .results = gradients(loss, Values{q, k, v})};
  function.results.push_back(out);
  function.results.push_back(loss);
  return function;
}

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A line of /proc/self/status in bytes.
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return 1024 * std::atof(line.c_str() + name.size() + 1);
  }
  return 0;
}

// Attention on the CPU, with random inputs.
class OnCpu {
 public:
  OnCpu(const Device& device, const Function& function) : program_(device.compile(function)) {
    uint32_t state = 1;
    for (const Value& parameter : function.parameters) {
      Tensor values(parameter.type());
      if (parameter.dtype() == DType::kInt32) std::ranges::fill(values.as<int32_t>(), 1);
      for (float& value : parameter.dtype() == DType::kFloat32 ? values.as<float>() : std::span<float>()) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
      }
      inputs_.push_back(device.put(values.view()));
      static_cast<void>(inputs_.back().to_host());  // waits for the copy
    }
  }
  double run_s() {
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& input : inputs_) arguments.push_back(&input);
    const double start = now_s();
    const std::vector<DeviceArray> results = program_.run(arguments);
    static_cast<void>(results.back().to_host());
    return now_s() - start;
  }

 private:
  Program program_;
  std::vector<DeviceArray> inputs_;
};

double temporary_mb(const Device& device, const Function& function) {
  const auto compiled = pjrt::cpu_client().compile(to_stablehlo(function, device.target()));
  return static_cast<double>(compiled.executable().memory_stats().temporary) / kMB;
}

double temporary_mb(pjrt::AotTarget target, const Function& function) {
  const std::string text = to_stablehlo(function, target_for(pjrt::platform_of(target), {}));
  return static_cast<double>(pjrt::aot_topology(target).compile(text).memory_stats().temporary) / kMB;
}

void report(const char* where, double full, double by_blocks, const char* unit) {
  std::printf("%-20s full %9.2f %s   by blocks %9.2f %s   ratio %.3f\n", where, full, unit, by_blocks, unit,
              by_blocks / full);
  std::fflush(stdout);
}

void measure_time(int64_t length, int rounds) {
  const Device device({.use_cache = false});
  OnCpu runs[] = {OnCpu(device, attention_of(length, false)), OnCpu(device, attention_of(length, true))};
  double least_s[] = {1e9, 1e9};
  for (int round = 0; round < rounds; ++round) {
    for (const int i : {0, 1}) least_s[i] = std::min(least_s[i], runs[i].run_s());
  }
  report("CPU", 1e3 * least_s[0], 1e3 * least_s[1], "ms");
}

void measure_memory(int64_t length) {
  const Function full = attention_of(length, false), by_blocks = attention_of(length, true);
  const Device device({.use_cache = false}), plain({.use_cache = false, .use_kernels = false});
  report("CPU", temporary_mb(device, full), temporary_mb(device, by_blocks), "MB");
  report("CPU without kernels", temporary_mb(plain, full), temporary_mb(plain, by_blocks), "MB");
  for (const pjrt::AotTarget target : pjrt::kAotTargets) {
    const std::string name = pjrt::name_of_target(testing::TestParamInfo<pjrt::AotTarget>(target, 0));
    report(name.c_str(), temporary_mb(target, full), temporary_mb(target, by_blocks), "MB");
  }
}

// The largest resident memory of a run, without that of inputs and results.
void measure_process(int64_t length, bool by_blocks) {
  const Function function = attention_of(length, by_blocks);
  const Device device({.use_cache = false});
  OnCpu run(device, function);
  const double before = status_bytes("VmRSS:");
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the largest size
  run.run_s();
  double results = 0;
  for (const Value& result : function.results) results += static_cast<double>(result.type().bytes());
  std::printf("%s: %.1f MB\n", by_blocks ? "blocks" : "full", (status_bytes("VmHWM:") - before - results) / kMB);
}

}  // namespace
}  // namespace portatune

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "time";
  const int64_t length = argc > 2 ? std::atol(argv[2]) : 4096;
  if (what == "time") portatune::measure_time(length, argc > 3 ? std::atoi(argv[3]) : 5);
  if (what == "memory") portatune::measure_memory(length);
  if (what == "full" || what == "blocks") portatune::measure_process(length, what == "blocks");
}
