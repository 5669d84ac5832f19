// Installation of plugins from a local test index. The wheels contain libraries that look like plugins.
#include "portatune/machine/install/install_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "io/http_server.h"
#include "io/temporary_folder.h"
#include "io/write_zip.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/checksum/sha256.h"
#include "portatune/io/file/lock_file.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using pjrt::PluginPackage;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string sha256(const std::string& bytes) {
  io::Sha256 hash;
  hash.update(bytes);
  return hash.digest();
}

std::string zip_of(const std::vector<ZipEntry>& entries) {
  const TemporaryFolder folder;
  write_zip(folder.path() / "a.zip", entries);
  return read(folder.path() / "a.zip");
}

class InstallPlugin : public testing::Test {
 protected:
  void SetUp() override {
    setenv("NETRC", "/dev/null", 1);
    setenv("PORTATUNE_REMOTE_TIMEOUT", "0.5", 1);
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    add("plugin-wheel", zip_of({{"top/plugin.so", read(FAKE_PLUGIN), 0755}, {"dist-info/RECORD", "x"}}));
    add("library-wheel", zip_of({{"lib/libx.so", std::string(5'000'000, 'x')}}));
  }
  void TearDown() override { unsetenv("PORTATUNE_REMOTE_TIMEOUT"); }

  // Adds a package to the index and pins its hash.
  void add(const std::string& package, const std::string& wheel) {
    wheels_[package] = wheel;
    pins_[package] = {.package = package, .version = "1.0", .sha256 = sha256(wheel)};
  }
  PluginPackage package() const {
    return {.name = "fake",
            .platform = "cpu",
            .file = "plugin.so",
            .parts = {{.wheel = pins_.at("plugin-wheel"), .from = "top/", .to = "", .proof = "plugin.so"},
                      {.wheel = pins_.at("library-wheel"), .from = "lib/", .to = "lib/", .proof = "lib/libx.so"}}};
  }
  pjrt::PluginVersion install() { return install_plugin(package(), {.index = server_.url("/simple")}); }
  fs::path target() const { return folder_.path() / "portatune/deps/plugin_wheel-1.0"; }
  // The entries of the cache: installed plugins and wheels for the next attempt.
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    const fs::path deps = folder_.path() / "portatune/deps";
    for (const fs::path& folder : {deps, deps / "downloads"}) {
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().filename() != "downloads") names.push_back(entry.path().filename());
      }
    }
    std::ranges::sort(names);
    return names;
  }
  int64_t requests_for(const std::string& target) const {
    return std::ranges::count_if(server_.requests(), [&](const auto& request) { return request.target == target; });
  }

  HttpResponse answer(const HttpRequest& request) {
    const std::string path = request.path();
    for (const auto& [package, wheel] : wheels_) {
      if (path == "/simple/" + package + "/") {
        return {.body = "<a href=\"/files/" + package + ".whl#sha256=" + pins_[package].sha256 + "\">x</a>"};
      }
      if (path == "/files/" + package + ".whl") {
        HttpResponse response = ranged(request, wheel, "\"1\"");
        if (fault_) fault_(package, response);
        return response;
      }
    }
    return {.status = 404};
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> wheels_;
  std::map<std::string, pjrt::Pin> pins_;
  std::function<void(const std::string& package, HttpResponse&)> fault_;
  HttpServer server_{[this](const HttpRequest& request) { return answer(request); }};
};

TEST_F(InstallPlugin, PutsAllWheelsIntoOneFolder) {
  EXPECT_EQ(to_string(install()), "PJRT 0.81, StableHLO 1.13.0");
  EXPECT_TRUE(is_complete(package(), target()));
  EXPECT_EQ(read(target() / "plugin.so"), read(FAKE_PLUGIN));
  EXPECT_EQ(fs::file_size(target() / "lib/libx.so"), 5'000'000u);
  EXPECT_FALSE(fs::exists(target() / "dist-info"));
  EXPECT_THAT(left(), ElementsAre("plugin_wheel-1.0"));
}

TEST_F(InstallPlugin, ReportsItsProgress) {
  std::vector<int64_t> of_library;
  size_t wheels = 0;
  int64_t all = 0;
  install_plugin(package(), {.index = server_.url("/simple"),
                             .begin = [&](size_t count, int64_t bytes) { wheels = count, all = bytes; },
                             .fetched =
                                 [&](const pjrt::Pin& wheel, int64_t bytes, int64_t) {
                                   if (wheel.package == "library-wheel") of_library.push_back(bytes);
                                 }});
  EXPECT_EQ(wheels, 2u);
  EXPECT_EQ(all, std::ssize(wheels_["plugin-wheel"]) + std::ssize(wheels_["library-wheel"]));
  EXPECT_EQ(of_library.front(), 0);
  EXPECT_EQ(of_library.back(), std::ssize(wheels_["library-wheel"]));
}

TEST_F(InstallPlugin, RefusesASecondInstallation) {
  const fs::path deps = folder_.path() / "portatune/deps";
  fs::create_directories(deps);
  {
    const auto other = io::LockFile::try_hold(deps / ".install-lock");
    ASSERT_TRUE(other);
    EXPECT_THAT([&] { install(); }, ThrowsMessage<DeviceError>(HasSubstr("by process " + std::to_string(getpid()))));
  }
  install();
  EXPECT_THAT(left(), ElementsAre("plugin_wheel-1.0"));
}

TEST_F(InstallPlugin, RefusesAnotherHashAndKeepsNothing) {
  const std::string pinned = pins_["plugin-wheel"].sha256;
  wheels_["plugin-wheel"] += "more";
  EXPECT_THAT([&] { install(); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("/files/plugin-wheel.whl"), HasSubstr(pinned),
                                             HasSubstr(sha256(wheels_["plugin-wheel"])))));
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(InstallPlugin, AnInterruptedDownloadIsAnErrorAndKeepsNothing) {
  add("plugin-wheel", zip_of({{"top/plugin.so", std::string(200'000, 'x')}}) + std::string(200'000, 'y'));
  fault_ = [](const std::string&, HttpResponse& response) { response.cut_after = 1000; };
  EXPECT_THROW(install(), IoError);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(InstallPlugin, AnInterruptedDownloadIsRetried) {
  bool has_failed = false;
  fault_ = [&](const std::string& package, HttpResponse& response) {
    if (package != "library-wheel" || std::exchange(has_failed, true)) return;
    response.cut_after = 1000;
  };
  install();
  EXPECT_TRUE(is_complete(package(), target()));
}

TEST_F(InstallPlugin, TheNextAttemptFetchesOnlyMissingWheels) {
  const std::string library = wheels_["library-wheel"];
  wheels_["library-wheel"] = "not what is pinned";
  EXPECT_THROW(install(), DataError);
  EXPECT_THAT(left(), ElementsAre("plugin-wheel-1.0"));
  const int64_t before = requests_for("/files/plugin-wheel.whl");
  wheels_["library-wheel"] = library;
  install();
  EXPECT_EQ(requests_for("/files/plugin-wheel.whl"), before);
  EXPECT_THAT(left(), ElementsAre("plugin_wheel-1.0"));
}

TEST_F(InstallPlugin, AStopKeepsOnlyCompleteWheels) {
  add("library-wheel", zip_of({{"lib/libx.so", "x"}}) + std::string(9'000'000, 'y'));  // three blocks
  StopSource stop;
  const StopScope scope(stop.token());
  const auto stop_amid = [&](const pjrt::Pin& wheel, int64_t bytes, int64_t) {
    if (wheel.package == "library-wheel" && bytes > 0) stop.request_stop();
  };
  EXPECT_THROW(install_plugin(package(), {.index = server_.url("/simple"), .fetched = stop_amid}), Stopped);
  EXPECT_THAT(left(), ElementsAre("plugin-wheel-1.0"));
}

TEST_F(InstallPlugin, CleansUpAfterKilledRuns) {
  fs::create_directories(target().parent_path() / "tmp.plugin_wheel-1.0.0123456789abcdef/lib");
  fs::create_directories(target().parent_path() / "downloads/tmp.plugin-wheel-1.0.0123456789abcdef");
  install();
  EXPECT_THAT(left(), ElementsAre("plugin_wheel-1.0"));
}

TEST_F(InstallPlugin, CompletesAFolderThatLacksAWheel) {
  fs::create_directories(target());
  std::ofstream(target() / "plugin.so") << "older";
  install();
  EXPECT_TRUE(is_complete(package(), target()));
  EXPECT_EQ(read(target() / "plugin.so"), read(FAKE_PLUGIN));
}

TEST_F(InstallPlugin, RefusesAnUnsupportedVersion) {
  add("plugin-wheel", zip_of({{"top/plugin.so", read(FAKE_OF_OLD_PJRT)}}));
  EXPECT_THAT([&] { install(); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("plugin fake, which is therefore not installed"),
                                               HasSubstr("PJRT 0.40"), HasSubstr("PJRT 0.72 or a later"))));
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(InstallPlugin, RefusesAWheelWithoutTheExpectedFile) {
  add("library-wheel", zip_of({{"elsewhere/libx.so", "x"}}));
  EXPECT_THAT([&] { install(); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("library-wheel 1.0"), HasSubstr("lib/libx.so"))));
  EXPECT_FALSE(fs::exists(target()));
}

}  // namespace
}  // namespace portatune
