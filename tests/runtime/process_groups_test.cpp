// Process groups whose processes are threads: each device exchanges with its own group, by the kernels of the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "graph/evaluate.h"
#include "portatune/device.h"
#include "portatune/ops.h"
#include "runtime/processes/thread_group.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

const Mesh kMesh{.data = 2};

// The sums over the two processes of a group, each of which adds `value` and its rank, in several steps.
std::vector<float> sums_over_processes(std::shared_ptr<ProcessGroup> group, float value) {
  const auto rank = static_cast<float>(group->rank());
  const Device device({.mesh = kMesh, .use_cache = false, .processes = std::move(group)});
  const Value x = parameter("x", {DType::kFloat32, {1}});
  const Value sum = all_reduce(x, kMesh, {MeshAxis::kData});
  const Program program =
      device.compile({.parameters = {x}, .results = {sum}, .mesh = kMesh, .result_shardings = {{}}});
  std::vector<float> sums;
  for (int step = 0; step < 20; ++step) {
    const Tensor values({1}, {value + rank});
    DeviceArray argument = device.put(values.view());
    sums.push_back(program.run({&argument}).front().to_host().as<float>()[0]);
  }
  return sums;
}

TEST(ProcessGroups, OfTwoDevicesOfOneProcessExchangeApart) {
  ThreadGroup::World first(2), second(2);
  std::vector<std::vector<float>> sums(4);
  {
    std::vector<std::jthread> processes;
    for (const int64_t rank : {0, 1}) {
      processes.emplace_back([&, rank] {
        sums[static_cast<size_t>(rank)] = sums_over_processes(std::make_shared<ThreadGroup>(first, rank), 1);
      });
      processes.emplace_back([&, rank] {
        sums[static_cast<size_t>(2 + rank)] = sums_over_processes(std::make_shared<ThreadGroup>(second, rank), 100);
      });
    }
  }
  const std::vector<float> of_first(20, 3.0f), of_second(20, 201.0f);
  EXPECT_THAT(sums, ElementsAre(of_first, of_first, of_second, of_second));
}

}  // namespace
}  // namespace portatune::test
