#include "portune/pjrt/client.h"

#include <gtest/gtest.h>

#include "portune/pjrt/buffer.h"
#include "portune/pjrt/executable.h"
#include "portune/pjrt/plugin.h"

namespace portune::pjrt {
namespace {

constexpr std::string_view kAdd = R"(module @add {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %x, %y : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
)";

TEST(Client, RunsAModule) {
  const Client client(Plugin::load(find_plugin("cpu")));
  const Tensor x({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  Buffer a = client.copy_to_device(x.view());
  Buffer b = client.move_to_device(x);
  const LoadedExecutable add = client.compile(kAdd);
  Buffer* arguments[] = {&a, &b};
  const std::vector<Buffer> sum = add.execute(arguments);
  EXPECT_EQ(sum[0].to_host().as<float>()[5], 12.f);
}

}  // namespace
}  // namespace portune::pjrt
