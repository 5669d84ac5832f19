#include "portatune/runtime/pjrt/plugin/plugin_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The line of a package in tools/lock.txt, read independently of the build.
std::string locked_line(const std::string& package) {
  std::ifstream in(PORTATUNE_LOCK_FILE);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(package + "==")) return line;
  }
  return {};
}

TEST(PluginPackages, HaveVersionsAndHashesOfTheLockFile) {
  for (const PluginPackage& package : plugin_packages()) {
    for (const WheelPart& part : package.parts) {
      const std::string line = locked_line(part.wheel.package);
      EXPECT_THAT(line, testing::StartsWith(part.wheel.package + "==" + part.wheel.version + " "));
      EXPECT_THAT(line, HasSubstr(" --hash=sha256:" + part.wheel.sha256));
      EXPECT_EQ(part.wheel.sha256.size(), 64u);
    }
  }
}

TEST(PluginPackages, FolderHasNameAndVersionOfTheFirstWheel) {
  const PluginPackage package = {.parts = {{.wheel = {.package = "jax-cuda13-pjrt", .version = "1.2-3"}}}};
  EXPECT_EQ(package.folder_name(), "jax_cuda13_pjrt-1.2-3");
}

TEST(PluginPackages, AreCompleteWithAllWheels) {
  const TemporaryFolder folder;
  const PluginPackage& package = plugin_package("cuda13");
  std::set<std::string> proofs;
  for (const WheelPart& part : package.parts) {
    EXPECT_FALSE(is_complete(package, folder.path())) << part.proof;
    EXPECT_TRUE(proofs.insert(part.proof).second) << part.proof;
    const fs::path file = folder.path() / part.proof;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  EXPECT_TRUE(is_complete(package, folder.path()));
}

TEST(PluginPackages, AnUnknownNameIsAUsageError) {
  EXPECT_THAT([] { plugin_package("cuda"); }, ThrowsMessage<UsageError>(HasSubstr("cpu, cuda13, cuda12 or tpu")));
}

}  // namespace
}  // namespace portatune::pjrt
