#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "io/temporary_folder.h"
#include "pjrt/variable.h"
#include "portune/error.h"
#include "portune/pjrt/plugin.h"

namespace portune::pjrt {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

fs::path touch(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "x";
  return file;
}

class FindPlugin : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Variable cache_{"XDG_CACHE_HOME", folder_.path().c_str()};
  Variable cpu_{"PORTUNE_CPU_PLUGIN", nullptr};
  Variable tpu_{"PORTUNE_TPU_PLUGIN", nullptr};
};

TEST_F(FindPlugin, LooksInTheCacheFolder) {
  const fs::path file = touch(folder_.path() / "portune/deps/xla_cpu_pjrt-0.0.1/xla_cpu_pjrt.so");
  EXPECT_EQ(find_plugin("cpu"), file);
}

TEST_F(FindPlugin, LooksBesideTheProgramFirst) {
  touch(folder_.path() / "portune/deps/libtpu-0.0.51/libtpu.so");
  const fs::path beside = touch(fs::read_symlink("/proc/self/exe").parent_path() / "libtpu.so");
  EXPECT_EQ(find_plugin("tpu"), beside);
  fs::remove(beside);
}

TEST_F(FindPlugin, TheVariableGoesBeforeTheUsualPlaces) {
  touch(folder_.path() / "portune/deps/xla_cpu_pjrt-0.0.1/xla_cpu_pjrt.so");
  const fs::path file = touch(folder_.path() / "own.so");
  const Variable variable("PORTUNE_CPU_PLUGIN", file.c_str());
  EXPECT_EQ(find_plugin("cpu"), file);
}

TEST_F(FindPlugin, TheNamedFileGoesBeforeTheVariable) {
  const fs::path file = touch(folder_.path() / "named.so");
  const Variable variable("PORTUNE_CPU_PLUGIN", "/nowhere.so");
  EXPECT_EQ(find_plugin("cpu", file), file);
}

TEST_F(FindPlugin, DoesNotReplaceAMissingNamedFile) {
  touch(folder_.path() / "portune/deps/xla_cpu_pjrt-0.0.1/xla_cpu_pjrt.so");
  EXPECT_THAT([] { find_plugin("cpu", "/nowhere.so"); }, ThrowsMessage<DeviceError>(HasSubstr("/nowhere.so")));
}

TEST_F(FindPlugin, ErrorListsThePlaces) {
  EXPECT_THAT([] { find_plugin("tpu"); },
              ThrowsMessage<DeviceError>(AllOf(
                  HasSubstr("plugin for tpu"), HasSubstr("/lib/portune/libtpu.so"), HasSubstr("PORTUNE_TPU_PLUGIN"),
                  HasSubstr((folder_.path() / "portune/deps/libtpu-0.0.51/libtpu.so").string()))));
}

TEST_F(FindPlugin, RefusesAnotherPlatform) {
  EXPECT_THAT([] { find_plugin("gpu"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("gpu"), HasSubstr("cpu, tpu or cuda"))));
}

}  // namespace
}  // namespace portune::pjrt
