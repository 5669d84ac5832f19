#include "portatune/runtime/pjrt/plugin/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/client.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::pjrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Plugin, ReportsItsVersions) {
  const PluginVersion& version = cpu_plugin().version();
  EXPECT_EQ(to_string(version), "PJRT 0.81, StableHLO 1.13.3");
  EXPECT_EQ(version.cuda, 0);
}

TEST(Plugin, IsLoadedOncePerFile) {
  const std::filesystem::path file = cpu_plugin().file();
  EXPECT_EQ(&Plugin::load(file.parent_path() / "." / file.filename()), &cpu_plugin());
}

TEST(Plugin, MissingFileIsNamed) {
  EXPECT_THAT([] { Plugin::load("/nowhere/plugin.so"); }, ThrowsMessage<DeviceError>(HasSubstr("/nowhere/plugin.so")));
}

TEST(Plugin, RefusesAFileThatIsNotALibrary) {
  EXPECT_THAT([] { Plugin::load("/proc/self/status"); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("/status"), HasSubstr("an XLA plugin"))));
}

TEST(Plugin, RefusesALibraryWithoutTheInterface) {
  EXPECT_THAT([] { Plugin::load(NOT_A_PLUGIN); }, ThrowsMessage<DeviceError>(HasSubstr("without GetPjrtApi")));
}

TEST(Plugin, RefusesAnOlderInterface) {
  EXPECT_THAT([] { Plugin::load(FAKE_OF_OLD_PJRT); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("a plugin of PJRT 0.40"), HasSubstr("PJRT 0.72 or a later"))));
}

TEST(Plugin, RefusesAnOlderStablehlo) {
  EXPECT_THAT([] { Plugin::load(FAKE_OF_OLD_STABLEHLO); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("StableHLO 0.9.0 to 1.5.0"), HasSubstr("StableHLO 1.13.0"))));
}

TEST(Plugin, ErrorNamesAMissingFunction) {
  const Plugin& plugin = Plugin::load(FAKE_WITHOUT_CLIENT);
  EXPECT_THAT([&] { Client client(plugin); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("PJRT_Client_Create"), HasSubstr("a newer plugin"))));
}

}  // namespace
}  // namespace portatune::pjrt
