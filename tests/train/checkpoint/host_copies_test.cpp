#include "portatune/train/checkpoint/host_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(HostCopies, KeepTheirValuesAndReuseTheirMemory) {
  train::HostCopies copies({{DType::kFloat32, {2}}, {DType::kInt32, {3}}});
  std::vector<const std::byte*> memory;
  for (const float value : {1.5f, 2.5f}) {
    std::optional<DeviceArray> first = kernels().put(Tensor({2}, {value, -value}).view());
    std::optional<DeviceArray> second = kernels().put(Tensor({3}, {7, 8, 9}).view());
    train::NamedArray x = train::named("x", *first), y = train::named("y", *second);
    copies.copy({&x, &y});
    first.reset();
    second.reset();
    EXPECT_THAT(x.copy->as<float>(), ElementsAre(value, -value));
    EXPECT_THAT(y.copy->as<int32_t>(), ElementsAre(7, 8, 9));
    memory.push_back(x.copy->data());
  }
  EXPECT_THAT(memory, Each(memory.front()));
}

TEST(HostCopies, ThrowIfMemoryIsShort) {
  train::HostCopies copies({{DType::kFloat32, {int64_t{1} << 45}}});
  EXPECT_THROW(copies.copy({}), std::bad_alloc);
}

}  // namespace
}  // namespace portatune::test
