#include "portatune/runtime/pjrt/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <future>
#include <iterator>
#include <optional>

#include "portatune/error.h"
#include "runtime/pjrt/cpu.h"
#include "runtime/pjrt/variable.h"

namespace portatune::pjrt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Client, DescribesItsDevices) {
  EXPECT_EQ(cpu_client().platform_name(), "cpu");
  ASSERT_EQ(cpu_client().devices().size(), 1u);
  EXPECT_EQ(cpu_client().devices()[0].kind, "cpu");
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(Client, HasTheRequestedNumberOfThreads) {
  const Variable restored("PJRT_NPROC", nullptr);
  const std::ptrdiff_t before = threads_of_process();
  const Client one = Client::open("cpu", {.plugin_file = cpu_plugin().file(), .cpu_threads = 1});
  const std::ptrdiff_t with_one = threads_of_process();
  const Client nine = Client::open("cpu", {.plugin_file = cpu_plugin().file(), .cpu_threads = 9});
  // The plugin has two pools, one for computing and one for compiling.
  EXPECT_EQ(threads_of_process() - with_one, with_one - before + 2 * 8);
}

TEST(Client, RefusesAnUnknownDevice) {
  EXPECT_THAT(
      [] {
        cpu_client().move_to_device(Tensor({2}, {1.f, 2.f}), 1);
      },
      ThrowsMessage<UsageError>(HasSubstr("device 1")));
}

TEST(Client, CopiedArrayMayBeFreed) {
  Tensor values({2, 2}, {1, 2, 3, 4});
  const Buffer buffer = cpu_client().copy_to_device(values.view());
  values.as<int32_t>()[0] = 99;
  EXPECT_THAT(buffer.to_host().as<int32_t>(), ElementsAre(1, 2, 3, 4));
}

TEST(Client, MovedArrayBecomesTheBuffer) {
  const Buffer buffer = cpu_client().move_to_device(Tensor({3}, {1.5, 2.5, 3.5}));
  EXPECT_EQ(buffer.type(), (TensorType{DType::kFloat64, {3}}));
  EXPECT_THAT(buffer.to_host().as<double>(), ElementsAre(1.5, 2.5, 3.5));
}

TEST(Client, OwnerOfASharedArrayIsReleasedAfterTheBuffer) {
  const Tensor values({4}, {1.f, 2.f, 3.f, 4.f});
  std::promise<void> released;
  std::future<void> release = released.get_future();
  std::optional<Buffer> buffer = cpu_client().share_with_device(
      values.view(), std::shared_ptr<const void>(&values, [&](const void*) { released.set_value(); }));
  EXPECT_EQ(buffer->to_host().as<float>()[3], 4.f);
  EXPECT_EQ(release.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  buffer.reset();
  EXPECT_EQ(release.wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST(Client, DonationDoesNotChangeASharedArray) {
  const auto values = std::make_shared<const Tensor>(Shape{4}, std::initializer_list<float>{1.f, 2.f, 3.f, 4.f});
  Buffer x = cpu_client().share_with_device(values->view(), values);
  Buffer y = cpu_client().move_to_device(Tensor({4}, {1.f, 1.f, 1.f, 1.f}));
  Buffer* arguments[] = {&x, &y};
  EXPECT_EQ(cpu_client().compile(kAddInPlace).execute(arguments)[0].to_host().as<float>()[0], 2.f);
  EXPECT_EQ(values->as<float>()[0], 1.f);
}

TEST(Client, BuffersKeepTheClientAlive) {
  auto client = std::make_unique<Client>(cpu_plugin());
  const Buffer buffer = client->move_to_device(Tensor({2}, {1.f, 2.f}));
  client.reset();
  EXPECT_THAT(buffer.to_host().as<float>(), ElementsAre(1.f, 2.f));
}

TEST(Client, TransfersEveryElementType) {
  for (const DType dtype :
       {DType::kBool, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kUInt32, DType::kInt64,
        DType::kUInt64, DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    Tensor values({dtype, {3}});
    values.data()[values.type().bytes() - 1] = std::byte{1};
    const Tensor back = cpu_client().copy_to_device(values.view()).to_host();
    EXPECT_EQ(back.type(), values.type());
    EXPECT_EQ(back.data()[back.type().bytes() - 1], std::byte{1}) << name_of(dtype);
  }
}

// The interface permits plugins not to implement memory statistics.
TEST(Client, CpuPluginReportsNoMemory) { EXPECT_FALSE(cpu_client().memory_use().has_value()); }

TEST(Client, MemoryOfAnUnknownDeviceIsAUsageError) { EXPECT_THROW(cpu_client().memory_use(7), UsageError); }

}  // namespace
}  // namespace portatune::pjrt
