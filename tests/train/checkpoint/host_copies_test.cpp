#include "portatune/train/checkpoint/host_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    ASSERT_TRUE(copies.is_allocated());
    copies.copy({&x, &y});
    first.reset();
    second.reset();
    EXPECT_THAT(x.copy->as<float>(), ElementsAre(value, -value));
    EXPECT_THAT(y.copy->as<int32_t>(), ElementsAre(7, 8, 9));
    memory.push_back(x.copy->data());
  }
  EXPECT_THAT(memory, Each(memory.front()));
}

TEST(HostCopies, AreNotAllocatedIfMemoryIsShort) {
  train::HostCopies copies({{DType::kFloat32, {int64_t{1} << 45}}});
  EXPECT_FALSE(copies.is_allocated());
}

// An array of two processes, which each have to read it, and each record that they do.
TEST(HostCopies, OfOneOfSeveralProcessesAreThoseOfItsArrays) {
  std::vector<std::string> read;
  const auto array = [&](const char* name, bool is_divided) {
    return train::NamedArray{
        .name = name, .type = {DType::kFloat32, {}}, .is_divided = is_divided, .to_host = [&read, name](Tensor) {
          read.push_back(name);
          return Tensor({}, {1.5f});
        }};
  };
  train::NamedArray a = array("a", true), b = array("b", true), c = array("c", false), d = array("d", false);
  train::HostCopies copies(std::vector<TensorType>(4, {DType::kFloat32, {}}), {true, false, true, false});
  ASSERT_TRUE(copies.is_allocated());
  copies.copy({&a, &b, &c, &d});
  EXPECT_THAT(read, ElementsAre("a", "b", "c"));  // b for the other process
  EXPECT_THAT(a.copy->as<float>(), ElementsAre(1.5f));
  EXPECT_THAT(c.copy->as<float>(), ElementsAre(1.5f));
  for (const train::NamedArray* other : {&b, &d}) EXPECT_EQ(other->copy, nullptr);
  for (const train::NamedArray* done : {&a, &b, &c, &d}) EXPECT_FALSE(done->is_divided);
}

}  // namespace
}  // namespace portatune::test
