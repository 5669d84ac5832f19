#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "portatune/runtime/pjrt/call_error.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::pjrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::string_view kBroken = R"(module {
  func.func public @main(%x: tensor<2xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)";

TEST(Compile, ErrorNamesTheCallAndAFileWithTheModule) {
  std::string given;
  try {
    cpu_client().compile(kBroken);
  } catch (const CallError& error) {
    EXPECT_THAT(error.what(), HasSubstr("PJRT_Client_Compile: "));
    EXPECT_THAT(error.what(), HasSubstr("4:5"));  // line and column of the return
    given = error.report().given;
  }
  constexpr std::string_view kPrefix = "the module in ";
  ASSERT_TRUE(given.starts_with(kPrefix)) << given;
  const std::filesystem::path file = given.substr(kPrefix.size());
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), kBroken);
  std::filesystem::remove(file);
}

TEST(Compile, ErrorIsNotPrinted) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(cpu_client().compile(kBroken), CallError);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Compile, RefusesAnUnknownXlaOption) {
  EXPECT_THAT(
      [] {
        cpu_client().compile(kAdd, {.xla_options = {{"xla_no_such_option", true}}});
      },
      ThrowsMessage<CallError>(HasSubstr("xla_no_such_option")));
}

TEST(Compile, AcceptsXlaOptionsOfEveryType) {
  cpu_client().compile(kAdd, {.xla_options = {{"xla_cpu_enable_fast_math", false},
                                              {"xla_backend_optimization_level", int64_t{0}},
                                              {"xla_cpu_prefer_vector_width", std::string("256")}}});
}

TEST(Compile, ReportsMemoryAndOperations) {
  const LoadedExecutable executable = cpu_client().compile(R"(module {
  func.func public @main(%x: tensor<32x64xf32> {tf.aliasing_output = 0 : i32}, %w: tensor<64x64xf32>) -> tensor<32x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    return %0 : tensor<32x64xf32>
  }
}
)");
  const MemoryStats memory = executable.executable().memory_stats();
  EXPECT_EQ(memory.arguments, 4 * (32 * 64 + 64 * 64));
  EXPECT_EQ(memory.results, 4 * 32 * 64);
  EXPECT_EQ(memory.aliased, 4 * 32 * 64);
  EXPECT_GE(memory.peak, memory.arguments);
  EXPECT_EQ(executable.executable().cost("flops"), 2 * 32 * 64 * 64);
}

TEST(Compile, SerializedProgramRunsAgain) {
  const std::string serialized = cpu_client().compile(kAdd).executable().serialize();
  const LoadedExecutable add = cpu_client().load(serialized, kAdd);
  const Buffer x = cpu_client().move_to_device(Tensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  const Buffer* arguments[] = {&x, &x};
  EXPECT_EQ(add.execute_without_donation(arguments)[0].to_host().as<float>()[5], 12.f);
}

TEST(Compile, RefusesToLoadInvalidBytes) {
  EXPECT_THAT([] { cpu_client().load("nonsense", kAdd); },
              ThrowsMessage<CallError>(HasSubstr("PJRT_Executable_DeserializeAndLoad: ")));
}

}  // namespace
}  // namespace portatune::pjrt
