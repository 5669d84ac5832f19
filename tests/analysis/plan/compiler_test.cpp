// Compilation for every target of the table with an installed plugin.
#include "portatune/analysis/plan/compiler.h"

#include <gtest/gtest.h>

#include <optional>

#include "portatune/analysis/plan/gpu_config.h"
#include "portatune/ops.h"
#include "runtime/pjrt/aot.h"
#include "runtime/pjrt/variable.h"

namespace portatune::plan {
namespace {

constexpr int64_t kSize = 256;

// The update w <- w + x^T x.
Function product(DType dtype = DType::kFloat32) {
  const Value w = parameter("w", {DType::kFloat32, {kSize, kSize}}), x = parameter("x", {dtype, {kSize, kSize}});
  const Value y = w + dot_general(x, x, {.lhs_contracting = {0}, .rhs_contracting = {0}}, DType::kFloat32);
  return {.parameters = {w, x}, .results = {y}, .aliases = {{0, 0}}};
}

class CompilerTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (target_.accelerator->platform == "cpu") return;
    const bool is_tpu = target_.accelerator->platform == "tpu";
    const pjrt::AotTarget aot = is_tpu ? pjrt::AotTarget::kTpuV5e : pjrt::AotTarget::kCudaH100;
    PORTATUNE_SKIP_WITHOUT_PLUGIN(aot);
    plugin_.emplace(is_tpu ? "PORTATUNE_TPU_PLUGIN" : "PORTATUNE_CUDA_PLUGIN", pjrt::aot_plugin_file(aot).c_str());
  }

  const Target target_ = target_called(GetParam());
  std::optional<pjrt::Variable> plugin_;
};

TEST_P(CompilerTest, ReportsMemoryAndTraffic) {
  const Target& target = target_;
  const std::unique_ptr<Compiler> compiler = open_compiler(target, {});
  EXPECT_GT(compiler->memory_bytes(), 1 << 28);
  EXPECT_GT(compiler->peaks().bytes, 1e8);
  const Compiled compiled = compiler->compile(product());
  const double array = 4 * kSize * kSize;
  EXPECT_EQ(compiled.memory.arguments, 2 * array);
  EXPECT_EQ(compiled.memory.aliased, array);
  // Reads both and writes one; some compilers write the product, or parts of its sums, to memory before the addition.
  EXPECT_GE(compiled.traffic, (target.accelerator->platform == "tpu" ? 0 : 3) * array);
  EXPECT_LE(compiled.traffic, 16 * array);
}

// The matrix that the body reads and writes does not stay in caches or on the chip.
TEST_P(CompilerTest, CountsTheTrafficOfEachIteration) {
  const std::unique_ptr<Compiler> compiler = open_compiler(target_, {});
  const auto traffic = [&](int64_t iterations) {
    const Value x = parameter("x", {DType::kFloat32, {8192, 8192}}), index = parameter("index", {DType::kInt32, {}});
    const Value term = tanh(x * convert(index, DType::kFloat32));
    return compiler->compile({{x}, loop_sum({term}, index, iterations)}).traffic;
  };
  const double array = 4.0 * 8192 * 8192, of_three = traffic(23) - traffic(20);
  EXPECT_GE(of_three, 3 * 2 * array);
  EXPECT_LE(of_three, 3 * 6 * array);
}

// More devices than the smallest topology of most TPUs has.
TEST_P(CompilerTest, CompilesForSixteenDevices) {
  const Mesh mesh{.data = 2, .fsdp = 8};
  const Value w = parameter("w", {DType::kFloat32, {kSize / 8, kSize}}),
              x = parameter("x", {DType::kFloat32, {8, kSize}});
  const Value y =
      dot_general(x, all_gather(w, 0, mesh, {MeshAxis::kFsdp}), {.lhs_contracting = {1}, .rhs_contracting = {1}});
  const Value dw = all_reduce(gradients(sum(y * y), Values{w}).front(), mesh, {MeshAxis::kData});
  const std::unique_ptr<Compiler> compiler = open_compiler(target_, {.mesh = mesh});
  const Compiled compiled =
      compiler->compile({.parameters = {w, x}, .results = {w + dw}, .aliases = {{0, 0}}, .mesh = mesh});
  EXPECT_EQ(compiled.memory.aliased, 4 * kSize / 8 * kSize);
}

TEST(Compiler, CudnnAttentionStoresNoScores) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kCudaH100);
  const pjrt::Variable plugin("PORTATUNE_CUDA_PLUGIN", pjrt::aot_plugin_file(pjrt::AotTarget::kCudaH100).c_str());
  const Value x = parameter("x", {DType::kBFloat16, {2, 512, 8 * 64}});
  const Value mask = parameter("mask", {DType::kFloat32, {2, 1, 1, 512}});
  const Function function{.parameters = {x, mask},
                          .results = {attention(x, x, x, mask, {.heads = 8, .scale = 0.125, .band = {.after = 0}})}};
  const auto temporary = [&](const DeviceOptions& options) {
    return open_compiler(target_called("cuda:h100"), options)->compile(function).memory.temporary;
  };
  EXPECT_LT(2 * temporary({.cudnn_attention = true}), temporary({}));
}

INSTANTIATE_TEST_SUITE_P(Plan, CompilerTest, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Accelerator& accelerator : accelerators()) names.emplace_back(accelerator.name);
                           return names;
                         }()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c == ':' || c == '-'; });
                           return name;
                         });

TEST(GpuConfig, HasTheFieldsOfItsGpu) {
  const std::string text = gpu_target_config(*target_called("cuda:l4").accelerator);
  for (const char* field : {"core_count: 58 ", "clock_rate_ghz: 2.04 ", "major: 8 minor: 9 ",
                            "memory_bandwidth: 300000000000 ", "device_description_str: \"NVIDIA L4\""}) {
    EXPECT_NE(text.find(field), std::string::npos) << field << "\n" << text;
  }
}

}  // namespace
}  // namespace portatune::plan
