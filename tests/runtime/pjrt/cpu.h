// The CPU plugin, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "portatune/runtime/pjrt/buffer.h"
#include "portatune/runtime/pjrt/client.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::pjrt {

/// The plugin that the environment names, else the one that the build has been configured with.
const Plugin& cpu_plugin();
/// A client with one device, created once.
const Client& cpu_client();
/// The results of a module's function on that device.
std::vector<Tensor> run_on_cpu(const std::string& module_text, const std::vector<Tensor>& arguments);

/// x + y, both float32 [2, 3].
inline constexpr std::string_view kAdd = R"(module @add {
  func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %x, %y : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
)";

/// x + y, float32 [4], which may take the place of x.
inline constexpr std::string_view kAddInPlace = R"(module @add_in_place {
  func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";

}  // namespace portatune::pjrt
