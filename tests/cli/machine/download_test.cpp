// Models by name: `portatune download` and `cache`, and --model with a name that the cache lacks.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/toy.h"
#include "io/fake_hub.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A Hub with the tiny model as org/tiny, and an empty cache.
class DownloadCommand : public testing::Test {
 protected:
  DownloadCommand() {
    setenv("HF_HUB_CACHE", cache().c_str(), 1);
    for (const auto& entry : fs::directory_iterator(tiny_bert())) {
      const bool is_large = entry.path().extension() == ".safetensors";
      hub_.files[entry.path().filename()] = {read(entry.path()), is_large};
    }
  }
  ~DownloadCommand() override { unsetenv("HF_HUB_CACHE"); }

  fs::path cache() const { return toy_.file("hub"); }
  fs::path snapshot() const { return cache() / "models--org--tiny/snapshots" / FakeHub::commit(); }
  Words fit_from(const std::string& model) const {
    return {"fit", "--model",     model, "--train",  toy_.file("train.csv"), "--max-length",
            "16",  "--max-steps", "1",   "--output", toy_.output()};
  }

  const Toy toy_;
  FakeHub hub_;
};

TEST_F(DownloadCommand, PrintsTheFolder) {
  const Finished run = portatune({"download", "org/tiny"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, snapshot().string() + "\n");
  EXPECT_THAT(run.err, HasSubstr("fetching org/tiny (commit 0123456), "));
  EXPECT_EQ(json::parse(portatune({"download", "org/tiny", "--json"}).out)["commit"], FakeHub::commit());
}

TEST_F(DownloadCommand, FitDownloadsAModelThatTheCacheLacks) {
  const Finished run = portatune(fit_from("org/tiny"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("fetching org/tiny"), HasSubstr("--model org/tiny: using " + snapshot().string())));
  EXPECT_THAT(run.err, HasSubstr("hf upload ORG/NAME " + toy_.output() + "\n"));
}

TEST_F(DownloadCommand, SettingsOfADownloadedModelApply) {
  hub_.files["portatune.json"] = {R"({"task": "text-classification", "max_length": "7"})"};
  const Finished run = portatune({"predict", "--model", "org/tiny", "--text", "a"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("portatune.json:"), HasSubstr("--max-length=7")));
}

TEST_F(DownloadCommand, MissingModelMayBeAMisspeltFolder) {
  fs::create_directories(toy_.file("minilm"));
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(toy_.file("minilm")).parent_path());
  const Finished run = portatune(fit_from("minilmm"));
  fs::current_path(before);
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, AllOf(HasSubstr("Hub model minilmm"), HasSubstr("did you mean minilm?")));
}

TEST_F(DownloadCommand, MissingPermissionHasItsExitCode) {
  hub_.answer = [](const HttpRequest&) {
    return HttpResponse{.status = 403, .headers = {{"X-Error-Code", "GatedRepo"}}};
  };
  const Finished run = portatune({"download", "org/tiny"});
  EXPECT_EQ(run.exit_code, 77);
  EXPECT_THAT(run.err, HasSubstr("a gated model"));
}

TEST_F(DownloadCommand, OfflineItFindsAModelInTheCache) {
  setenv("HF_HUB_OFFLINE", "1", 1);
  const Finished missing = portatune({"download", "org/tiny"});
  unsetenv("HF_HUB_OFFLINE");
  EXPECT_EQ(missing.exit_code, 66);
  EXPECT_THAT(missing.err, HasSubstr("unset HF_HUB_OFFLINE"));

  ASSERT_EQ(portatune({"download", "org/tiny"}).exit_code, 0);
  setenv("HF_HUB_OFFLINE", "1", 1);
  const Finished found = portatune({"download", "org/tiny"});
  unsetenv("HF_HUB_OFFLINE");
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(found.out, snapshot().string() + "\n");
}

TEST_F(DownloadCommand, PathIsNoName) {
  const Finished run = portatune({"download", "./tiny"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("org/name@revision"));
}

TEST_F(DownloadCommand, KilledDownloadContinues) {
  const std::string weights(9'000'000, 'w');
  hub_.files["model.safetensors"] = {weights, true};
  hub_.answer = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.header("range") != "bytes=8388608-8999999") return std::nullopt;
    return HttpResponse{.hangs = true};
  };
  const fs::path partial = cache() / "models--org--tiny/blobs" / (blob_name(weights, true) + ".incomplete");
  {
    Program run({"download", "org/tiny"});
    while (!fs::exists(partial) || fs::file_size(partial) < 8'388'608) usleep(10'000);
    run.signal(SIGKILL);
    run.wait();
  }
  hub_.answer = {};
  hub_.end_hangs();
  const size_t before = hub_.requests().size();
  EXPECT_EQ(portatune({"download", "org/tiny"}).exit_code, 0);
  EXPECT_EQ(read(snapshot() / "model.safetensors"), weights);
  for (size_t i = before; i < hub_.requests().size(); ++i) {
    EXPECT_NE(hub_.requests()[i].header("range"), "bytes=65536-4194303");
  }
}

TEST_F(DownloadCommand, CacheIsListedAndEmptied) {
  ASSERT_EQ(portatune({"download", "org/tiny"}).exit_code, 0);
  EXPECT_THAT(portatune({"cache", "ls"}).out, AllOf(HasSubstr("org/tiny "), HasSubstr("0123456 (main)")));
  const Finished unknown = portatune({"cache", "rm", "org/tini"});
  EXPECT_EQ(unknown.exit_code, 66);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean org/tiny?"));
  const Finished removal = portatune({"cache", "rm", "org/tiny"});
  EXPECT_EQ(removal.exit_code, 0) << removal.err;
  EXPECT_THAT(removal.err, HasSubstr("removed org/tiny, "));
  EXPECT_EQ(portatune({"cache", "ls", "--json"}).out, "");
}

}  // namespace
}  // namespace portatune::cli
