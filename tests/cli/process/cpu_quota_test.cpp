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
      if (has_written("cpu.max", "100000 100000") || has_written("cpu.cfs_quota_us", "100000")) return;
      remove();
    }
  }
  ~OneCpu() { remove(); }
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

  bool exists() const { return exists_; }
  const fs::path& folder() const { return folder_; }

 private:
  // The kernel makes the files of a group. Only those of one of the versions exist.
  bool has_written(const char* name, const char* text) const {
    return fs::exists(folder_ / name) && static_cast<bool>(std::ofstream(folder_ / name) << text << std::flush);
  }

  void remove() {
    if (exists_) rmdir(folder_.c_str());
    exists_ = false;
  }

  fs::path folder_;
  bool exists_ = false;
};

TEST(CpuQuota, IsTheNumberOfCoresThatARunUsesAndNoSettingOfIt) {
  const OneCpu group;
  if (!group.exists()) GTEST_SKIP() << "needs the right to create control groups";
  const Conditions conditions{.control_group = group.folder()};
  const Finished doctor = portatune({"doctor", "--json"}, conditions);
  ASSERT_EQ(doctor.exit_code, 0) << doctor.err;
  EXPECT_EQ(nlohmann::json::parse(doctor.out)["cpu"]["usable_cores"], 1);
  const Toy toy;
  const Finished fit = portatune(toy.fit({"--epochs", "1", "--save-strategy", "epoch"}), conditions);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.err, HasSubstr("cpu: 1 core,"));
  const Finished resumed = portatune(toy.fit({"--epochs", "2", "--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

}  // namespace
}  // namespace portatune::cli
