#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "portatune/error.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::pjrt {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Buffer on_device(const Tensor& tensor) { return cpu_client().copy_to_device(tensor.view()); }

Tensor floats(Shape shape) { return Tensor({DType::kFloat32, std::move(shape)}); }

TEST(LoadedExecutable, Runs) {
  Buffer x = on_device(Tensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  Buffer y = on_device(Tensor({2, 3}, {10.f, 20.f, 30.f, 40.f, 50.f, 60.f}));
  Buffer* arguments[] = {&x, &y};
  const std::vector<Buffer> results = cpu_client().compile(kAdd).execute(arguments);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(results[0].to_host().as<float>(), ElementsAre(11.f, 22.f, 33.f, 44.f, 55.f, 66.f));
}

TEST(LoadedExecutable, ResultsHaveTheModulesTypes) {
  const LoadedExecutable executable = cpu_client().compile(R"(module {
  func.func public @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<f32>, tensor<2x3xi1>) {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.constant dense<7.0> : tensor<f32>
    %2 = stablehlo.compare EQ, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0, %1, %2 : tensor<3x2xf32>, tensor<f32>, tensor<2x3xi1>
  }
}
)");
  EXPECT_THAT(executable.executable().result_types(),
              ElementsAre(TensorType{DType::kFloat32, {3, 2}}, TensorType{DType::kFloat32, {}},
                          TensorType{DType::kBool, {2, 3}}));
  Buffer x = on_device(Tensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  Buffer* arguments[] = {&x};
  const std::vector<Buffer> results = executable.execute(arguments);
  EXPECT_THAT(results[0].to_host().as<float>(), ElementsAre(1.f, 4.f, 2.f, 5.f, 3.f, 6.f));
  EXPECT_THAT(results[1].to_host().as<float>(), ElementsAre(7.f));
}

TEST(LoadedExecutable, CallsBackWhenAResultIsReady) {
  Buffer x = on_device(floats({2, 3})), y = on_device(floats({2, 3}));
  Buffer* arguments[] = {&x, &y};
  const std::vector<Buffer> results = cpu_client().compile(kAdd).execute(arguments);
  std::promise<void> ready;
  results[0].on_ready([&] { ready.set_value(); });
  EXPECT_EQ(ready.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST(LoadedExecutable, DonationDeletesTheBuffer) {
  const LoadedExecutable add = cpu_client().compile(kAddInPlace);
  Buffer x = on_device(Tensor({4}, {1.f, 2.f, 3.f, 4.f}));
  Buffer y = on_device(Tensor({4}, {1.f, 1.f, 1.f, 1.f}));
  Buffer* arguments[] = {&x, &y};
  EXPECT_THAT(add.execute(arguments)[0].to_host().as<float>(), ElementsAre(2.f, 3.f, 4.f, 5.f));
  EXPECT_TRUE(x.is_deleted());
  EXPECT_FALSE(y.is_deleted());
  EXPECT_THAT([&] { x.to_host(); }, ThrowsMessage<UsageError>(HasSubstr("donated to a program")));
  EXPECT_THAT([&] { x.wait(); }, ThrowsMessage<UsageError>(HasSubstr("donated to a program")));
  EXPECT_THAT([&] { add.execute(arguments); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("argument 0"), HasSubstr("donated to an earlier execution"))));
}

TEST(LoadedExecutable, CanRunWithoutDonation) {
  const Buffer x = on_device(Tensor({4}, {1.f, 2.f, 3.f, 4.f}));
  const Buffer* arguments[] = {&x, &x};
  const LoadedExecutable add = cpu_client().compile(kAddInPlace);
  EXPECT_THAT(add.execute_without_donation(arguments)[0].to_host().as<float>(), ElementsAre(2.f, 4.f, 6.f, 8.f));
  EXPECT_THAT(x.to_host().as<float>(), ElementsAre(1.f, 2.f, 3.f, 4.f));
}

TEST(LoadedExecutable, RefusesADonatedBufferGivenTwice) {
  Buffer x = on_device(floats({4}));
  Buffer* arguments[] = {&x, &x};
  EXPECT_THAT([&] { cpu_client().compile(kAddInPlace).execute(arguments); },
              ThrowsMessage<UsageError>(HasSubstr("argument 0")));
}

TEST(LoadedExecutable, RefusesAWrongElementType) {
  Buffer x = on_device(floats({2, 3}));
  Buffer y = on_device(Tensor({DType::kInt32, {2, 3}}));
  Buffer* arguments[] = {&x, &y};
  EXPECT_THAT(
      [&] { cpu_client().compile(kAdd).execute(arguments); },
      ThrowsMessage<ShapeError>(AllOf(HasSubstr("argument 1"), HasSubstr("int32[2, 3]"), HasSubstr("float32[2, 3]"))));
}

TEST(LoadedExecutable, RefusesAWrongShape) {
  Buffer x = on_device(floats({3, 2}));
  Buffer y = on_device(floats({2, 3}));
  Buffer* arguments[] = {&x, &y};
  EXPECT_THAT([&] { cpu_client().compile(kAdd).execute(arguments); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("argument 0"), HasSubstr("float32[3, 2]"))));
}

TEST(LoadedExecutable, RefusesAWrongNumberOfArguments) {
  Buffer x = on_device(floats({2, 3}));
  Buffer* arguments[] = {&x};
  EXPECT_THAT([&] { cpu_client().compile(kAdd).execute(arguments); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("given     1"), HasSubstr("expected  2"))));
}

TEST(LoadedExecutable, AcceptsUnfinishedResultsAsArguments) {
  const LoadedExecutable add = cpu_client().compile(kAddInPlace);
  Buffer one = on_device(Tensor({4}, {1.f, 1.f, 1.f, 1.f}));
  Buffer sum = on_device(floats({4}));
  for (int i = 0; i < 100; ++i) {
    Buffer* arguments[] = {&sum, &one};
    sum = std::move(add.execute(arguments)[0]);
  }
  EXPECT_THAT(sum.to_host().as<float>(), Each(100.f));
}

TEST(LoadedExecutable, ReducesOverEightDevices) {
  constexpr int kDevices = 8;
  const Client client = Client::open("cpu", {.plugin_file = cpu_plugin().file(), .cpu_devices = kDevices});
  const LoadedExecutable all_reduce = client.compile(R"(module attributes {mhlo.num_replicas = 8 : i32} {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0,1,2,3,4,5,6,7]]> : tensor<1x8xi64>}> ({
     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)",
                                                     {.replicas = kDevices});
  std::vector<Buffer> inputs;
  for (int device = 0; device < kDevices; ++device) {
    inputs.push_back(client.move_to_device(Tensor({2}, {float(device), 1.f}), static_cast<size_t>(device)));
  }
  std::vector<std::vector<Buffer*>> arguments;
  for (Buffer& input : inputs) arguments.push_back({&input});
  const auto results = all_reduce.execute_on_all(arguments);
  ASSERT_EQ(results.size(), size_t{kDevices});
  EXPECT_THAT([&] { all_reduce.execute(arguments[0]); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("arguments for 1 devices"), HasSubstr("arguments for 8"))));
  for (int device = 0; device < kDevices; ++device) {
    const Buffer& result = results[static_cast<size_t>(device)][0];
    EXPECT_EQ(result.device().id, device);
    EXPECT_THAT(result.to_host().as<float>(), ElementsAre(28.f, 8.f));  // 0 + 1 + ... + 7, and 8 ones
  }
}

}  // namespace
}  // namespace portatune::pjrt
