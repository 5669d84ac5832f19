#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A control group that may use one second of CPU time in a second.
class OneCpu {
 public:
  OneCpu() {
    std::error_code none;
    for (const char* parent : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
      folder_ = fs::path(parent) / ("portatune_test_" + std::to_string(getpid()));
      if (!fs::create_directory(folder_, none)) continue;
      exists_ = true;
      std::ofstream version_2(folder_ / "cpu.max", std::ios::in), version_1(folder_ / "cpu.cfs_quota_us", std::ios::in);
      if (version_2 << "100000 100000" << std::flush || version_1 << "100000" << std::flush) return;
      remove();
    }
  }
  ~OneCpu() { remove(); }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

  bool exists() const { return exists_; }
  const fs::path& folder() const { return folder_; }

 private:
  void remove() {
    if (exists_) rmdir(folder_.c_str());
    exists_ = false;
  }

  fs::path folder_;
  bool exists_ = false;
};

TEST(CpuQuota, IsTheNumberOfCoresThatARunUses) {
  const OneCpu group;
  if (!group.exists()) GTEST_SKIP() << "needs the right to create control groups";
  const Conditions conditions{.control_group = group.folder()};
  const Finished doctor = portatune({"doctor", "--json"}, conditions);
  EXPECT_EQ(nlohmann::json::parse(doctor.out)["cpu"]["usable_cores"], 1);
  const Toy toy;
  const Finished fit = portatune(toy.fit({"--epochs", "1"}), conditions);
  EXPECT_EQ(fit.exit_code, 0);
  EXPECT_THAT(fit.err, HasSubstr("cpu: 1 core,"));
}

}  // namespace
}  // namespace portatune::cli
