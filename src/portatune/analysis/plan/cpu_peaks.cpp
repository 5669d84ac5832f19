#include "portatune/analysis/plan/cpu_peaks.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "portatune/base/threads/clock.h"
#include "portatune/ops.h"

namespace portatune::plan {
namespace {

constexpr int64_t kSize = 1024;                  // rows and columns of the matrices
constexpr int64_t kElements = int64_t{1} << 25;  // 128 MiB of float32
constexpr double kMinSeconds = 0.25;
constexpr int kMinRuns = 3;

// Unwritten pages would all be one page in a cache, and zeros take no time in some units.
Tensor filled(const TensorType& type) {
  Tensor tensor(type);
  std::fill_n(tensor.data(), type.bytes(), std::byte{0x3C});  // 0.01 as float32 and as bfloat16
  return tensor;
}

// The best time of a program whose last result is small. A program with an alias updates its first argument.
double best_seconds(const Device& device, const Function& function) {
  const Program program = device.compile(function);
  std::vector<DeviceArray> arrays;
  for (const Value& parameter : function.parameters) arrays.push_back(device.put(filled(parameter.type())));
  double best = std::numeric_limits<double>::infinity(), all = 0;
  for (int run = 0; run < kMinRuns || all < kMinSeconds; ++run) {
    std::vector<DeviceArray*> arguments;
    for (DeviceArray& array : arrays) arguments.push_back(&array);
    const Clock::time_point start = Clock::now();
    std::vector<DeviceArray> results = program.run(arguments);
    static_cast<void>(results.back().to_host());  // waits
    const double seconds = seconds_since(start);
    best = std::min(best, seconds);
    all += seconds;
    if (!function.aliases.empty()) arrays[0] = std::move(results[0]);
  }
  return best;
}

// A small result, which is cheap to wait for.
Value first_element(const Value& x) { return slice(reshape(x, {-1}), 0, {0, 1}); }

double flops(const Device& device, DType dtype) {
  const Value x = parameter("x", {dtype, {kSize, kSize}}),
              weight = parameter("weight", {DType::kFloat32, {kSize, kSize}});
  const Value y = linear(x, weight, {});
  const double seconds = best_seconds(device, {.parameters = {x, weight}, .results = {y, first_element(y)}});
  return 2.0 * kSize * kSize * kSize / seconds;
}

double bytes(const Device& device) {
  const TensorType type{DType::kFloat32, {kElements}};
  const Value x = parameter("x", type), y = parameter("y", type);
  const Value sum = x + y;
  const double seconds =
      best_seconds(device, {.parameters = {x, y}, .results = {sum, first_element(sum)}, .aliases = {{0, 0}}});
  return 3.0 * static_cast<double>(type.bytes()) / seconds;
}

}  // namespace

Peaks measured_peaks(const DeviceOptions& options) {
  DeviceOptions uncached = options;
  uncached.device = "cpu";
  uncached.use_cache = false;
  const Device device(uncached);
  return {
      .float32 = flops(device, DType::kFloat32), .bfloat16 = flops(device, DType::kBFloat16), .bytes = bytes(device)};
}

}  // namespace portatune::plan
