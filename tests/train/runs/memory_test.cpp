// Memory that gradient accumulation and gradient checkpointing save, as XLA counts it for the compiled training step of
// layers of BERT-base's size.
#include <gtest/gtest.h>

#include <cstdlib>

#include "graph/evaluate.h"
#include "portatune/runtime/target.h"
#include "runtime/pjrt/aot.h"
#include "runtime/pjrt/cpu.h"
#include "train/layer_stack.h"

namespace portatune::test {
namespace {

constexpr double kMiB = 1 << 20;

// Bytes of temporaries, without the caller's arrays: weights, moments, batch.
double temporaries(const pjrt::Executable& step, const char* what) {
  const double size = static_cast<double>(step.memory_stats().temporary) / kMiB;
  testing::Test::RecordProperty(what, std::to_string(size) + " MiB");
  return size;
}

double on_cpu(const Function& step, const Device& device, const char* what) {
  return temporaries(pjrt::cpu_client().compile(to_stablehlo(step, device.target())).executable(), what);
}

double ahead_of_time(const Function& step, pjrt::AotTarget target, const char* what) {
  pjrt::CompileOptions options;
  if (target == pjrt::AotTarget::kCudaH100) options.xla_options["xla_gpu_enable_triton_gemm"] = false;
  const Target lowered_for = target_for(pjrt::platform_of(target), {});
  return temporaries(pjrt::aot_topology(target).compile(to_stablehlo(step, lowered_for), options), what);
}

train::StepOptions in_parts(int64_t parts) {
  return {.compute_dtype = DType::kBFloat16, .gradient_accumulation_steps = parts};
}

// 32 rows at once, and 8 at a time. The latter needs the sums of the gradients, which do not shrink, and a quarter of
// the rest.
TEST(MemoryOnCpu, MicroBatchesNeedLessThanTheWholeBatch) {
  const LayerStack layers(2);
  for (const Device* device : {&kernels(), &decompositions()}) {
    const double whole = on_cpu(layers.step(32, in_parts(1)), *device, "whole");
    const double parts = on_cpu(layers.step(32, in_parts(4)), *device, "parts");
    EXPECT_LT(parts, 0.6 * whole) << whole << " MiB at once";
  }
}

train::StepOptions with(Remat remat) { return {.compute_dtype = DType::kBFloat16, .remat = remat}; }

TEST(MemoryOnCpu, GradientCheckpointingNeedsLess) {
  const LayerStack layers(4);
  const double none = on_cpu(layers.step(16, with(Remat::kNone)), kernels(), "none");
  const double dots = on_cpu(layers.step(16, with(Remat::kDots)), kernels(), "dots");
  const double all = on_cpu(layers.step(16, with(Remat::kLayers)), kernels(), "layers");
  EXPECT_LT(dots, 0.9 * none) << none << " MiB with all values kept";
  EXPECT_LT(all, 0.9 * dots) << dots << " MiB with products kept";
}

// TPUs are left out: XLA keeps so little of few layers there that the policies do not decide about the difference.
TEST(MemoryOnH100, GradientCheckpointingNeedsLess) {
  constexpr pjrt::AotTarget kTarget = pjrt::AotTarget::kCudaH100;
  PORTATUNE_SKIP_WITHOUT_PLUGIN(kTarget);
  const LayerStack layers(3);
  const double none = ahead_of_time(layers.step(16, with(Remat::kNone)), kTarget, "none");
  const double dots = ahead_of_time(layers.step(16, with(Remat::kDots)), kTarget, "dots");
  const double all = ahead_of_time(layers.step(16, with(Remat::kLayers)), kTarget, "layers");
  EXPECT_LT(dots, 0.9 * none) << none << " MiB with all values kept";
  EXPECT_LT(all, 0.9 * dots) << dots << " MiB with products kept";
}

train::StepOptions on_eight_devices(Remat remat) {
  train::StepOptions options = with(remat);
  options.mesh = {.fsdp = 8};
  return options;
}

// Gathered weights, 27 MiB a layer, are dropped after each layer, and gathered again.
TEST(MemoryOnCpu, GradientCheckpointingDropsGatheredWeights) {
  const LayerStack layers(4);
  const pjrt::Client client = pjrt::Client::open("cpu", {.plugin_file = pjrt::cpu_plugin().file(), .cpu_devices = 8});
  const auto on_devices = [&](Remat remat, const char* what) {
    const std::string text = to_stablehlo(layers.step(16, on_eight_devices(remat)), kernels().target());
    return temporaries(client.compile(text, {.replicas = 8}).executable(), what);
  };
  const double none = on_devices(Remat::kNone, "none"), all = on_devices(Remat::kLayers, "layers");
  EXPECT_LT(all, 0.7 * none) << none << " MiB with all values kept";
}

// XLA joins the collectives of several layers unless an option limits it.
TEST(MemoryOnH100, GradientCheckpointingDropsGatheredWeights) {
  constexpr pjrt::AotTarget kTarget = pjrt::AotTarget::kCudaH100;
  PORTATUNE_SKIP_WITHOUT_PLUGIN(kTarget);
  const LayerStack layers(6);
  const auto on_devices = [&](Remat remat, const char* what) {
    const train::StepOptions options = on_eight_devices(remat);
    const pjrt::CompileOptions compile{.replicas = options.mesh.devices(),
                                       .xla_options = xla_options_for("cuda", options.mesh)};
    return temporaries(
        pjrt::aot_topology(kTarget).compile(to_stablehlo(layers.step(16, options), target_for("cuda", {})), compile),
        what);
  };
  const double none = on_devices(Remat::kNone, "none"), all = on_devices(Remat::kLayers, "layers");
  EXPECT_LT(all, 0.7 * none) << none << " MiB with all values kept";
}

TEST(MemoryOnH100, EightDevicesHoldAnEighthOfWeightsAndMoments) {
  constexpr pjrt::AotTarget kTarget = pjrt::AotTarget::kCudaH100;
  PORTATUNE_SKIP_WITHOUT_PLUGIN(kTarget);
  const LayerStack layers(1);
  const auto arguments = [&](const train::StepOptions& options) {
    return pjrt::aot_topology(kTarget)
        .compile(to_stablehlo(layers.step(16, options), target_for("cuda", {})), {.replicas = options.mesh.devices()})
        .memory_stats()
        .arguments;
  };
  EXPECT_LT(arguments(on_eight_devices(Remat::kNone)), arguments(with(Remat::kNone)) / 7);
}

// True if libtpu takes so long to compile a layer of a real size that only PORTATUNE_TEST_ALL enables the test.
bool is_slow(pjrt::AotTarget target) {
  return target == pjrt::AotTarget::kTpuV5e && std::getenv("PORTATUNE_TEST_ALL") == nullptr;
}

class MemoryAot : public ::testing::TestWithParam<pjrt::AotTarget> {};

TEST_P(MemoryAot, MicroBatchesNeedLessThanTheWholeBatch) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  if (is_slow(GetParam())) GTEST_SKIP() << "PORTATUNE_TEST_ALL is not set";
  const LayerStack layers(1);
  const double whole = ahead_of_time(layers.step(32, in_parts(1)), GetParam(), "whole");
  const double parts = ahead_of_time(layers.step(32, in_parts(4)), GetParam(), "parts");
  EXPECT_LT(parts, 0.6 * whole) << whole << " MiB at once";
}

INSTANTIATE_TEST_SUITE_P(Aot, MemoryAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

}  // namespace
}  // namespace portatune::test
