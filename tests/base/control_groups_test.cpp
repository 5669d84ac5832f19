#include "portatune/base/control_groups.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "io/temporary_folder.h"

namespace portatune {
namespace {

using testing::ElementsAre;
using testing::Optional;
namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// A root of a file system with the given files.
class Root {
 public:
  explicit Root(const Files& files) {
    for (const auto& [name, text] : files) {
      fs::create_directories((folder_ / name).parent_path());
      write_text(folder_ / name, text);
    }
  }
  fs::path path() const { return folder_.path(); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kOfVersion2 = "0::/work/fit\n";

TEST(ControlGroups, OfVersion2AreTheGroupAndThoseAroundIt) {
  const Root root(Files{{"proc/self/cgroup", kOfVersion2}});
  EXPECT_THAT(control_groups("memory", root.path()),
              ElementsAre(root / "sys/fs/cgroup/work/fit", root / "sys/fs/cgroup/work", root / "sys/fs/cgroup"));
}

TEST(ControlGroups, OfVersion1HaveAFolderForEachController) {
  const Root root(Files{{"proc/self/cgroup", "4:memory:/a\n1:cpu,cpuacct:/b\n3:cpuset:/c\n"}});
  EXPECT_THAT(control_groups("cpu", root.path()),
              ElementsAre(root / "sys/fs/cgroup/cpu/b", root / "sys/fs/cgroup/cpu"));
  EXPECT_THAT(control_groups("memory", root.path()),
              ElementsAre(root / "sys/fs/cgroup/memory/a", root / "sys/fs/cgroup/memory"));
}

TEST(ControlGroups, AreNoneWithoutLines) {
  EXPECT_THAT(control_groups("cpu", Root(Files{}).path()), ElementsAre());
  EXPECT_THAT(control_groups("cpu", Root(Files{{"proc/self/cgroup", "unknown\n::\n"}}).path()), ElementsAre());
}

TEST(CpuQuota, IsTheLeastOfAllGroups) {
  const Root root(Files{{"proc/self/cgroup", kOfVersion2},
                        {"sys/fs/cgroup/work/fit/cpu.max", "400000 100000\n"},
                        {"sys/fs/cgroup/work/cpu.max", "150000 100000\n"}});
  EXPECT_THAT(cpu_quota(root.path()), Optional(1.5));
}

TEST(CpuQuota, OfAContainerMayBeThatOfTheOutermostFolder) {
  const Root root(Files{{"proc/self/cgroup", "1:cpu,cpuacct:/docker/0123\n0::/docker/0123\n"},
                        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
                        {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n"}});
  EXPECT_THAT(cpu_quota(root.path()), Optional(4.0));
}

TEST(CpuQuota, IsAbsentWithoutALimit) {
  EXPECT_EQ(cpu_quota(Root(Files{}).path()), std::nullopt);
  EXPECT_EQ(
      cpu_quota(
          Root(Files{{"proc/self/cgroup", kOfVersion2}, {"sys/fs/cgroup/work/fit/cpu.max", "max 100000\n"}}).path()),
      std::nullopt);
  EXPECT_EQ(cpu_quota(Root(Files{{"proc/self/cgroup", "1:cpu:/\n"},
                                 {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                                 {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}})
                          .path()),
            std::nullopt);
}

}  // namespace
}  // namespace portatune
