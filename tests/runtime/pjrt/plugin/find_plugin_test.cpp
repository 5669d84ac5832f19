#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"
#include "runtime/pjrt/variable.h"

namespace portatune::pjrt {
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
  // The path at which `portatune plugin install` puts the plugin.
  fs::path installed(const std::string& name) const {
    const PluginPackage& package = plugin_package(name);
    return folder_.path() / "portatune/deps" / package.folder_name() / package.file;
  }

  TemporaryFolder folder_;
  Variable cache_{"XDG_CACHE_HOME", folder_.path().c_str()};
  Variable cpu_{"PORTATUNE_CPU_PLUGIN", nullptr};
  Variable tpu_{"PORTATUNE_TPU_PLUGIN", nullptr};
  Variable cuda_{"PORTATUNE_CUDA_PLUGIN", nullptr};
};

TEST_F(FindPlugin, LooksInTheCacheFolder) {
  const fs::path file = touch(installed("cpu"));
  EXPECT_EQ(find_plugin("cpu"), file);
}

TEST_F(FindPlugin, LooksBesideTheProgramFirst) {
  touch(installed("tpu"));
  const fs::path beside = touch(fs::read_symlink("/proc/self/exe").parent_path() / "libtpu.so");
  EXPECT_EQ(find_plugin("tpu"), beside);
  fs::remove(beside);
}

TEST_F(FindPlugin, RefusesAnUntrustedPluginInTheCacheFolder) {
  const fs::path file = touch(installed("cpu"));
  for (const fs::path& open : {file, file.parent_path(), file.parent_path().parent_path()}) {
    fs::permissions(open, fs::perms::others_write, fs::perm_options::add);
    EXPECT_THAT([] { find_plugin("cpu"); },
                ThrowsMessage<DeviceError>(AllOf(HasSubstr(open.string() + " is writable by every user"),
                                                 HasSubstr("chmod -R o-w " + open.string()))));
    const Variable variable("PORTATUNE_CPU_PLUGIN", file.c_str());
    EXPECT_EQ(find_plugin("cpu"), file) << "named by the user";
    fs::permissions(open, fs::perms::others_write, fs::perm_options::remove);
  }
  EXPECT_EQ(find_plugin("cpu"), file);
}

TEST_F(FindPlugin, PrefersTheVariableToTheUsualFolders) {
  touch(installed("cpu"));
  const fs::path file = touch(folder_.path() / "own.so");
  const Variable variable("PORTATUNE_CPU_PLUGIN", file.c_str());
  EXPECT_EQ(find_plugin("cpu"), file);
}

TEST_F(FindPlugin, PrefersTheNamedFileToTheVariable) {
  const fs::path file = touch(folder_.path() / "named.so");
  const Variable variable("PORTATUNE_CPU_PLUGIN", "/nowhere.so");
  EXPECT_EQ(find_plugin("cpu", file), file);
}

TEST_F(FindPlugin, DoesNotReplaceAMissingNamedFile) {
  touch(installed("cpu"));
  EXPECT_THAT([] { find_plugin("cpu", "/nowhere.so"); }, ThrowsMessage<DeviceError>(HasSubstr("/nowhere.so")));
}

TEST_F(FindPlugin, ErrorListsThePaths) {
  EXPECT_THAT(
      [] { find_plugin("tpu"); },
      ThrowsMessage<DeviceError>(AllOf(HasSubstr("plugin for tpu"), HasSubstr("/lib/portatune/libtpu.so"),
                                       HasSubstr("PORTATUNE_TPU_PLUGIN"), HasSubstr(installed("tpu").string()))));
}

TEST_F(FindPlugin, PrefersTheNewerCudaPlugin) {
  const fs::path older = touch(installed("cuda12"));
  EXPECT_EQ(find_plugin("cuda"), older);
  const fs::path newer = touch(installed("cuda13"));
  EXPECT_EQ(find_plugin("cuda"), newer);
}

TEST_F(FindPlugin, ErrorGivesTheInstallCommand) {
  EXPECT_THAT([] { find_plugin("cuda"); },
              ThrowsMessage<DeviceError>(HasSubstr("portatune plugin install cuda13, or cuda12 for a driver older")));
  EXPECT_THAT([] { find_plugin("tpu"); }, ThrowsMessage<DeviceError>(HasSubstr("portatune plugin install tpu")));
}

TEST_F(FindPlugin, RefusesAnotherPlatform) {
  EXPECT_THAT([] { find_plugin("gpu"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("gpu"), HasSubstr("cpu, tpu or cuda"))));
}

}  // namespace
}  // namespace portatune::pjrt
