#include "portatune/runtime/pjrt/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/runtime/pjrt/call_error.h"
#include "runtime/pjrt/aot.h"

namespace portatune::pjrt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A program: x in bfloat16 times w, summed over all replicas.
constexpr std::string_view kStep = R"(module @step attributes {mhlo.num_replicas = 4 : i32} {
  func.func public @main(%x: tensor<128x256xbf16>, %w: tensor<256x512xf32> {tf.aliasing_output = 0 : i32}) -> tensor<256x512xf32> {
    %0 = stablehlo.convert %w : (tensor<256x512xf32>) -> tensor<256x512xbf16>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, tensor<256x512xbf16>) -> tensor<128x512xf32>
    %2 = stablehlo.convert %1 : (tensor<128x512xf32>) -> tensor<128x512xbf16>
    %3 = stablehlo.dot_general %x, %2, contracting_dims = [0] x [0] : (tensor<128x256xbf16>, tensor<128x512xbf16>) -> tensor<256x512xf32>
    %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0,1,2,3]]> : tensor<1x4xi64>}> ({
     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<256x512xf32>) -> tensor<256x512xf32>
    %6 = stablehlo.subtract %w, %4 : tensor<256x512xf32>
    return %6 : tensor<256x512xf32>
  }
}
)";
constexpr int64_t kWeightBytes = 4 * 256 * 512;

class TopologyTest : public testing::TestWithParam<AotTarget> {};
INSTANTIATE_TEST_SUITE_P(Aot, TopologyTest, testing::ValuesIn(kAotTargets), name_of_target);

TEST_P(TopologyTest, CompilesWithoutTheDevice) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const Executable step = aot_topology(GetParam()).compile(kStep, {.replicas = 4});
  EXPECT_THAT(step.result_types(), ElementsAre(TensorType{DType::kFloat32, {256, 512}}));
  const MemoryStats memory = step.memory_stats();
  EXPECT_EQ(memory.arguments, kWeightBytes + 2 * 128 * 256);
  EXPECT_EQ(memory.aliased, kWeightBytes);
  EXPECT_GE(memory.peak, memory.arguments);
  EXPECT_GT(step.serialize().size(), 1000u);
}

TEST_P(TopologyTest, CompileErrorNamesTheCall) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const Topology topology = aot_topology(GetParam());
  EXPECT_THAT([&] { topology.compile("module {"); }, ThrowsMessage<CallError>(HasSubstr("PJRT_Compile: ")));
}

TEST(TpuTopology, DescribesItsDevices) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(AotTarget::kTpuV5e);
  const Topology topology = aot_topology(AotTarget::kTpuV5e);
  ASSERT_EQ(topology.devices().size(), 4u);
  EXPECT_EQ(topology.devices()[0].kind, "TPU v5 lite");
}

TEST(TpuTopology, CountsOperations) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(AotTarget::kTpuV5e);
  const Executable step = aot_topology(AotTarget::kTpuV5e).compile(kStep, {.replicas = 4});
  ASSERT_TRUE(step.cost("flops"));
  EXPECT_NEAR(*step.cost("flops"), 2.0 * 2 * 128 * 256 * 512, 1e6);  // two products, and few operations for the sums
}

TEST(TpuTopology, ReportsOutOfMemory) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(AotTarget::kTpuV5e);
  const Topology topology = aot_topology(AotTarget::kTpuV5e);
  try {
    // The program needs 32 GB; a v5e has 16.
    topology.compile(R"(module {
  func.func public @main(%x: tensor<2x4294967296xf32>) -> tensor<2x4294967296xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x4294967296xf32>
    return %0 : tensor<2x4294967296xf32>
  }
}
)");
    FAIL();
  } catch (const CallError& error) {
    EXPECT_EQ(error.kind(), CallError::Kind::kOutOfMemory) << error.what();
  }
}

TEST(CudaTopology, DescribesItsDevices) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(AotTarget::kCudaH100);
  const Topology topology = aot_topology(AotTarget::kCudaH100);
  ASSERT_EQ(topology.devices().size(), 8u);
  EXPECT_THAT(topology.devices()[0].kind, HasSubstr("H100"));
}

TEST(TpuTopology, RefusesAnUnknownGeneration) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(AotTarget::kTpuV5e);
  EXPECT_THAT([] { tpu_topology(aot_plugin(AotTarget::kTpuV5e), "v99:2x2"); },
              ThrowsMessage<CallError>(HasSubstr("PJRT_TopologyDescription_Create: ")));
}

}  // namespace
}  // namespace portatune::pjrt
