// Compilation for devices that are not present, for the tests of any folder.
//
//   INSTANTIATE_TEST_SUITE_P(Aot, BertAot, testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);
//   TEST_P(BertAot, Compiles) {
//     PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
//     const pjrt::Executable step = pjrt::aot_topology(GetParam()).compile(module_text);
//     EXPECT_LT(step.memory_stats().peak, ...);
//   }
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/pjrt/topology.h"

namespace portatune::pjrt {

enum class AotTarget { kTpuV5e, kCudaH100 };
inline constexpr std::array kAotTargets = {AotTarget::kTpuV5e, AotTarget::kCudaH100};

/// The names of parametrised tests: "TpuV5e", "CudaH100".
std::string name_of_target(const testing::TestParamInfo<AotTarget>& target);

/// "tpu" or "cuda".
std::string platform_of(AotTarget target);

/// The plugin for a target.
/// errors  DeviceError if it is missing
std::filesystem::path aot_plugin_file(AotTarget target);
const Plugin& aot_plugin(AotTarget target);
/// Four TPU v5e, or a machine with eight H100.
Topology aot_topology(AotTarget target);

/// The reason why the target cannot be compiled for on this machine; empty if it can. A missing plugin is an error if
/// the environment variable CI or PORTATUNE_REQUIRE_AOT is set.
std::string missing_plugin(AotTarget target);

#define PORTATUNE_SKIP_WITHOUT_PLUGIN(target) \
  if (const std::string missing = ::portatune::pjrt::missing_plugin(target); !missing.empty()) GTEST_SKIP() << missing

}  // namespace portatune::pjrt
