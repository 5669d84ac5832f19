// `portatune plugin`, through the real command and an index of the test's own. Wheels of the pinned hashes are too
// large for tests; what becomes of them is in tests/machine/install.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "io/http_server.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Plugin : public testing::Test {
 protected:
  void SetUp() override {
    setenv("NETRC", "/dev/null", 1);
    setenv("PORTATUNE_REMOTE_TIMEOUT", "2", 1);
    setenv("PIP_INDEX_URL", server_.url("/simple").c_str(), 1);
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("PORTATUNE_REMOTE_TIMEOUT");
    unsetenv("PIP_INDEX_URL");
    setenv("XDG_CACHE_HOME", PORTATUNE_TEST_CACHE, 1);
  }
  fs::path deps() const { return cache_ / "portatune/deps"; }
  static const pjrt::Pin& wheel() { return pjrt::plugin_package("tpu").parts.front().wheel; }

  HttpResponse answer(const HttpRequest& request) {
    if (request.path() == "/simple/libtpu/") {
      return {.body = "<a href=\"/files/libtpu.whl#sha256=" + wheel().sha256 + "\">libtpu</a>"};
    }
    if (request.path() == "/files/libtpu.whl") {
      HttpResponse response = ranged(request, bytes_, "\"1\"");
      response.hangs = hangs_ && request.header("range") != "bytes=0-65535";
      return response;
    }
    return {.status = 404};
  }

  std::string bytes_ = std::string(9'000'000, 'x');
  const TemporaryFolder cache_;
  bool hangs_ = false;  // after the first bytes
  HttpServer server_{[this](const HttpRequest& request) { return answer(request); }};
};

TEST_F(Plugin, ListTellsWhichThereAre) {
  const Finished run = portatune({"plugin", "list", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> plugins = json_lines(run.out);
  ASSERT_EQ(plugins.size(), 4u);
  EXPECT_EQ(plugins[0]["name"], "cpu");
  EXPECT_EQ(plugins[1]["name"], "cuda13");
  EXPECT_EQ(plugins[2]["name"], "cuda12");
  EXPECT_EQ(plugins[3]["name"], "tpu");
  for (const json& plugin : plugins) EXPECT_EQ(plugin["installed"], false);
  EXPECT_THAT(portatune({"plugin", "list"}).out, HasSubstr("not installed"));
}

TEST_F(Plugin, InstalledAlreadyItNeedsNoNetwork) {
  const pjrt::PluginPackage& cpu = pjrt::plugin_package("cpu");
  const fs::path file = deps() / cpu.folder_name() / cpu.file;
  fs::create_directories(file.parent_path());
  fs::create_symlink(fs::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so", file);
  const Finished run = portatune({"plugin", "install", "cpu"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("cpu is installed already"));
  EXPECT_THAT(run.out, AllOf(HasSubstr(file.string()), HasSubstr("PJRT 0.81")));
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(Plugin, AnotherHashIsRefused) {
  const Finished run = portatune({"plugin", "install", "tpu"});
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("tpu: 1 file to fetch from " + server_.url("/simple") + ", 9.00 MB"),
                    HasSubstr("fetching " + to_string(wheel())), HasSubstr("expected  SHA-256 " + wheel().sha256)));
  EXPECT_THAT(names_in(deps() / "downloads"), testing::IsEmpty());
}

TEST_F(Plugin, WhatTheIndexLacksIsNamed) {
  const Finished run = portatune({"plugin", "install", "cuda13", "--index-url", server_.url("/simple/")});
  EXPECT_EQ(run.exit_code, 66) << run.err;
  EXPECT_THAT(run.err, HasSubstr(server_.url("/simple/jax-cuda13-pjrt/")));
}

TEST_F(Plugin, WithoutANetworkTheIndexIsNamed) {
  const Finished run = portatune({"plugin", "install", "tpu", "--index-url", "http://127.0.0.1:1/simple"});
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("http://127.0.0.1:1/simple/libtpu/"), HasSubstr("check the network")));
}

TEST_F(Plugin, AnUnknownNameIsAUsageError) {
  const Finished run = portatune({"plugin", "install", "cuda"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("'cuda'"), HasSubstr("cpu, cuda13, cuda12 or tpu")));
}

TEST_F(Plugin, CtrlCAmidADownloadLeavesNothing) {
  hangs_ = true;
  Program run({"plugin", "install", "tpu"});
  ASSERT_TRUE(run.says("fetching libtpu"));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(names_in(deps() / "downloads"), testing::IsEmpty());
}

TEST_F(Plugin, WhatAKilledRunLeavesTheNextOneRemoves) {
  hangs_ = true;
  {
    Program run({"plugin", "install", "tpu"});
    ASSERT_TRUE(run.makes(deps() / "downloads", "tmp.libtpu-"));
    run.signal(SIGKILL);
    run.wait();
  }
  EXPECT_THAT(names_in(deps() / "downloads"), Not(testing::IsEmpty()));
  hangs_ = false;
  server_.end_hangs();
  EXPECT_EQ(portatune({"plugin", "install", "tpu"}).exit_code, 65);
  EXPECT_THAT(names_in(deps() / "downloads"), testing::IsEmpty());
}

TEST_F(Plugin, AFullDiskIsNamed) {
  const Finished run = portatune({"plugin", "install", "tpu"}, {.largest_file_bytes = 1'000'000});
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(names_in(deps() / "downloads"), testing::IsEmpty());
}

TEST_F(Plugin, DevicesSaysHowToInstallTheOneThatIsMissing) {
  unsetenv("PORTATUNE_CUDA_PLUGIN");
  const Finished run = portatune({"devices", "--device", "cuda"});
  EXPECT_EQ(run.exit_code, 69) << run.err;
  EXPECT_THAT(run.err, HasSubstr("fix       portatune plugin install cuda13"));
}

}  // namespace
}  // namespace portatune::cli
