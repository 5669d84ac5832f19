// Downloads from a Hub on this machine. tests/hub/huggingface_hub_test.py compares the cache with
// huggingface_hub's.
#include "portatune/hub/download/download.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "io/fake_hub.h"
#include "io/temporary_disk.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/download/cache.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

constexpr const char* kToken = "hf_secret";

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) names.push_back(entry.path().filename());
  return names;
}

class DownloadModel : public testing::Test {
 protected:
  DownloadModel() {
    setenv("HF_HUB_CACHE", cache_.path().c_str(), 1);
    hub_.files = {{"config.json", {"hello\n"}}, {"tokenizer.json", {"{}"}}, {"model.safetensors", {weights_, true}}};
  }
  ~DownloadModel() override { unsetenv("HF_HUB_CACHE"); }

  fs::path download(Contents contents = Contents::kModel, const DownloadEvents& events = {}) const {
    return download_model({"org/tiny"}, contents, events);
  }
  fs::path folder() const { return cache_ / "models--org--tiny"; }
  fs::path blob(const std::string& file) const {
    const FakeHub::File& content = hub_.files.at(file);
    return folder() / "blobs" / blob_name(content.bytes, content.is_large);
  }

  // The answer of the Hub to requests for a model with an error.
  void refuse_with(int status, const std::string& code) {
    hub_.answer = [=](const HttpRequest&) {
      return HttpResponse{.status = status, .headers = {{"X-Error-Code", code}}};
    };
  }
  // The error of a download, whose message never contains the token.
  template <class Kind>
  Kind refusal() const {
    try {
      download();
    } catch (const Kind& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr(kToken)));
      return error;
    }
    ADD_FAILURE() << "no error";
    return Kind(Report{});
  }

  const std::string weights_ = std::string(9'000'000, 'w');
  TemporaryFolder cache_;
  FakeHub hub_;
};

// The SHA-1 is what `printf 'hello\n' | git hash-object --stdin` prints.
TEST_F(DownloadModel, HasTheLayoutOfHuggingFaceHub) {
  const fs::path snapshot = download();
  EXPECT_EQ(snapshot, folder() / "snapshots" / FakeHub::commit());
  EXPECT_EQ(fs::read_symlink(snapshot / "config.json"), "../../blobs/ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(read(snapshot / "config.json"), "hello\n");
  EXPECT_EQ(read(snapshot / "model.safetensors"), weights_);
  EXPECT_EQ(read(folder() / "refs/main"), FakeHub::commit());
  EXPECT_THAT(names_in(folder()), UnorderedElementsAre("blobs", "refs", "snapshots"));
  EXPECT_EQ(names_in(folder() / "blobs").size(), 3u);
}

TEST_F(DownloadModel, SkipsFilesThatAreNotRead) {
  for (const char* file : {"README.md", "pytorch_model.bin", "tf_model.h5", "train.py", "onnx/model.onnx"}) {
    hub_.files[file] = {"x"};
  }
  EXPECT_THAT(names_in(download()), UnorderedElementsAre("config.json", "tokenizer.json", "model.safetensors"));
}

TEST_F(DownloadModel, TakesTheFilesOfSentenceTransformers) {
  for (const char* file :
       {"modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "2_Dense/config.json"}) {
    hub_.files[file] = {"x"};
  }
  const fs::path snapshot = download();
  EXPECT_THAT(names_in(snapshot), UnorderedElementsAre("config.json", "tokenizer.json", "model.safetensors",
                                                       "modules.json", "sentence_bert_config.json", "1_Pooling"));
  EXPECT_EQ(read(snapshot / "1_Pooling/config.json"), "x");
  EXPECT_EQ(fs::read_symlink(snapshot / "1_Pooling/config.json").string().find("../../../blobs/"), 0u);
}

TEST_F(DownloadModel, TokenizerNeedsNoWeights) {
  EXPECT_THAT(names_in(download(Contents::kTokenizer)), UnorderedElementsAre("config.json", "tokenizer.json"));
}

TEST_F(DownloadModel, TakesTheShardsOfTheIndex) {
  hub_.files.erase("model.safetensors");
  hub_.files["model.safetensors.index.json"] = {
      R"({"weight_map": {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}})"};
  for (const char* shard : {"model-1-of-2.safetensors", "model-2-of-2.safetensors", "other.safetensors"}) {
    hub_.files[shard] = {shard, true};
  }
  EXPECT_THAT(names_in(download()),
              UnorderedElementsAre("config.json", "tokenizer.json", "model.safetensors.index.json",
                                   "model-1-of-2.safetensors", "model-2-of-2.safetensors"));
}

TEST_F(DownloadModel, MissingShardIsAnErrorBeforeTheDownload) {
  hub_.files.erase("model.safetensors");
  hub_.files["model.safetensors.index.json"] = {R"({"weight_map": {"a": "model-1-of-2.safetensors"}})"};
  EXPECT_THAT(refusal<CheckpointError>().what(), HasSubstr("without the shard model-1-of-2.safetensors"));
}

TEST_F(DownloadModel, TakesPickledWeightsIfThereAreNoOthers) {
  hub_.files.erase("model.safetensors");
  hub_.files["pytorch_model.bin"] = {"x", true};
  EXPECT_THAT(names_in(download()), UnorderedElementsAre("config.json", "tokenizer.json", "pytorch_model.bin"));
}

TEST_F(DownloadModel, TakesTheShardsOfPickledWeights) {
  hub_.files.erase("model.safetensors");
  hub_.files["pytorch_model.bin.index.json"] = {R"({"weight_map": {"a": "pytorch_model-1-of-1.bin"}})"};
  hub_.files["pytorch_model-1-of-1.bin"] = {"x", true};
  EXPECT_THAT(names_in(download()), UnorderedElementsAre("config.json", "tokenizer.json",
                                                         "pytorch_model.bin.index.json", "pytorch_model-1-of-1.bin"));
}

TEST_F(DownloadModel, TakesAnAdapter) {
  hub_.files = {{"adapter_config.json", {"{}"}}, {"adapter_model.safetensors", {"x", true}}, {"README.md", {"x"}}};
  EXPECT_THAT(names_in(download()), UnorderedElementsAre("adapter_config.json", "adapter_model.safetensors"));
}

TEST_F(DownloadModel, NoWeightsAreAnError) {
  hub_.files.erase("model.safetensors");
  EXPECT_THAT(refusal<CheckpointError>().what(), HasSubstr("without weights"));
}

TEST_F(DownloadModel, ReportsBytesOfAllFiles) {
  std::vector<int64_t> bytes;
  const int64_t total = std::ssize(weights_) + 8;
  download(Contents::kModel, {.fetched = [&](const std::string& commit, int64_t now, int64_t all) {
             EXPECT_EQ(commit, FakeHub::commit());
             EXPECT_EQ(all, total);
             bytes.push_back(now);
           }});
  EXPECT_EQ(bytes.front(), 0);
  EXPECT_EQ(bytes.back(), total);
  EXPECT_TRUE(std::ranges::is_sorted(bytes));
}

TEST_F(DownloadModel, SecondDownloadOnlyAsksForTheCommit) {
  download();
  const size_t before = hub_.requests().size();
  download();
  EXPECT_EQ(hub_.requests().size(), before + 1);
}

TEST_F(DownloadModel, ContinuesWhereAKilledProcessStopped) {
  fs::create_directories(folder() / "blobs");
  write_text(blob("model.safetensors").string() + ".incomplete", weights_.substr(0, 5'000'000));
  EXPECT_EQ(read(download() / "model.safetensors"), weights_);
  std::vector<std::string> ranges;
  for (const HttpRequest& request : hub_.requests()) {
    if (request.path() == FakeHub::path_of("model.safetensors")) ranges.push_back(request.header("range"));
  }
  // The first range opens the file; then follow blocks of 4 MiB, from the one with byte 5,000,000 on.
  EXPECT_THAT(ranges, ElementsAre("bytes=0-65535", "bytes=4194304-8388607", "bytes=8388608-8999999"));
}

TEST_F(DownloadModel, ContinuesOnADiskWithSpaceForTheRestAlone) {
  const fs::path blobs = folder() / "blobs";
  fs::create_directories(blobs);
  const TemporaryDisk disk(blobs, 10 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  write_text(blob("model.safetensors").string() + ".incomplete", weights_.substr(0, 5'000'000));
  EXPECT_EQ(read(download() / "model.safetensors"), weights_);
}

TEST_F(DownloadModel, DamagedBeginningIsFetchedAgain) {
  fs::create_directories(folder() / "blobs");
  write_text(blob("model.safetensors").string() + ".incomplete", std::string(5'000'000, 'x'));
  EXPECT_EQ(read(download() / "model.safetensors"), weights_);
}

TEST_F(DownloadModel, AnotherHashIsRefusedAndNothingIsKept) {
  const std::string wrong(weights_.size(), 'x');
  hub_.answer = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.path() != FakeHub::path_of("model.safetensors")) return std::nullopt;
    return ranged(request, wrong, "\"1\"");
  };
  EXPECT_THAT(refusal<DataError>().what(), AllOf(HasSubstr("model.safetensors"), HasSubstr(blob_name(wrong, true)),
                                                 HasSubstr(blob_name(weights_, true))));
  EXPECT_EQ(names_in(folder() / "blobs").size(), 2u);
  EXPECT_THAT(names_in(folder() / "snapshots"), IsEmpty());
}

TEST_F(DownloadModel, ServerMaySendSmallFilesAsAWhole) {
  hub_.files["tokenizer.json"].bytes = std::string(500'000, 't');
  hub_.answer = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.path() != FakeHub::path_of("tokenizer.json")) return std::nullopt;
    return HttpResponse{.body = hub_.files["tokenizer.json"].bytes};
  };
  EXPECT_EQ(fs::file_size(download() / "tokenizer.json"), 500'000u);
}

TEST_F(DownloadModel, TokenDoesNotFollowARedirectToAnotherServer) {
  setenv("HF_TOKEN", kToken, 1);
  const HttpServer storage([&](const HttpRequest& request) { return ranged(request, weights_, "\"1\""); });
  hub_.answer = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    EXPECT_EQ(request.header("authorization"), std::string("Bearer ") + kToken) << request.target;
    if (request.path() == FakeHub::path_of("config.json")) {
      return HttpResponse{.status = 307, .headers = {{"Location", "/cached/config.json?a=1"}}};
    }
    if (request.target == "/cached/config.json?a=1") return ranged(request, "hello\n", "\"1\"");
    if (request.path() != FakeHub::path_of("model.safetensors")) return std::nullopt;
    return HttpResponse{.status = 302, .headers = {{"Location", storage.url("/signed?Signature=s")}}};
  };
  EXPECT_EQ(read(download() / "model.safetensors"), weights_);
  ASSERT_FALSE(storage.requests().empty());
  for (const HttpRequest& request : storage.requests()) EXPECT_EQ(request.header("authorization"), "");
}

TEST_F(DownloadModel, TokenOfAFileIsStripped) {
  write_text(cache_ / "token", std::string(kToken) + "\n");
  setenv("HF_TOKEN_PATH", (cache_ / "token").c_str(), 1);
  download();
  EXPECT_EQ(hub_.requests().front().header("authorization"), std::string("Bearer ") + kToken);
}

TEST_F(DownloadModel, TokenWithALineEndIsRefused) {
  setenv("HF_TOKEN", "hf_secret\r\nX: y", 1);
  EXPECT_THAT(refusal<UsageError>().what(), HasSubstr("HF_TOKEN"));
  EXPECT_THAT(hub_.requests(), IsEmpty());
}

TEST_F(DownloadModel, MissingOrPrivateModelIsNotFound) {
  refuse_with(401, "RepoNotFound");
  EXPECT_THAT(refusal<NotFoundError>().what(),
              AllOf(HasSubstr("Hub model org/tiny"), HasSubstr("with no token"), HasSubstr("hf auth login")));
  setenv("HF_TOKEN", kToken, 1);
  EXPECT_THAT(refusal<NotFoundError>().what(), AllOf(HasSubstr("with your token"), HasSubstr("the token is valid")));
}

TEST_F(DownloadModel, GatedModelNamesThePageThatGivesAccess) {
  hub_.answer = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.path().starts_with("/api/")) return std::nullopt;
    return HttpResponse{.status = 403, .headers = {{"X-Error-Code", "GatedRepo"}}};
  };
  const IoError error = refusal<IoError>();
  EXPECT_EQ(error.error_number(), EACCES);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("a gated model"), HasSubstr("/org/tiny, and set HF_TOKEN")));
}

TEST_F(DownloadModel, MissingRevisionIsNamed) {
  refuse_with(404, "RevisionNotFound");
  EXPECT_THAT(refusal<NotFoundError>().what(), HasSubstr("no revision 'main'"));
}

TEST_F(DownloadModel, RevisionMayHaveSlashes) {
  download_model({"org/tiny", "refs/pr/1"}, Contents::kModel);
  EXPECT_EQ(read(folder() / "refs/refs/pr/1"), FakeHub::commit());
}

TEST_F(DownloadModel, AnotherAnswerThanAListingIsRefused) {
  for (const char* body : {"<html>", "{}", R"({"sha": "../..", "siblings": []})"}) {
    hub_.answer = [=](const HttpRequest&) { return HttpResponse{.body = body}; };
    EXPECT_THAT(refusal<DataError>().what(), HasSubstr("HF_ENDPOINT")) << body;
  }
}

TEST_F(DownloadModel, WaitsForAnotherProcess) {
  const fs::path locks = cache_ / ".locks/models--org--tiny";
  fs::create_directories(locks);
  const std::string lock = locks / (blob("model.safetensors").filename().string() + ".lock");
  const int other = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  std::vector<std::string> waits;
  download(Contents::kModel, {.wait = [&](const std::string& file) {
             waits.push_back(file);
             write_text(blob("model.safetensors"), weights_);  // the other process finishes the download
             close(other);
           }});
  EXPECT_THAT(waits, ElementsAre("model.safetensors"));
  EXPECT_EQ(hub_.requests_for(FakeHub::path_of("model.safetensors")), 0);
}

TEST_F(DownloadModel, IsListedAndRemoved) {
  download();
  const std::vector<CachedModel> models = cached_models();
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "org/tiny");
  EXPECT_EQ(models[0].bytes, std::ssize(weights_) + 8);
  ASSERT_EQ(models[0].revisions.size(), 1u);
  EXPECT_EQ(models[0].revisions[0].commit, FakeHub::commit());
  EXPECT_THAT(models[0].revisions[0].refs, ElementsAre("main"));
  remove_cached(models[0]);
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_THAT(cached_models(), IsEmpty());
}

TEST_F(DownloadModel, OfANameIsTheModelThatWasFound) {
  const auto fetch = [](const io::HubName& name) { return download_model(name, Contents::kModel); };
  EXPECT_EQ(find_model("org/tiny", Contents::kModel, "--model", fetch), folder() / "snapshots" / FakeHub::commit());
  const size_t before = hub_.requests().size();
  find_model("org/tiny", Contents::kModel, "--model", fetch);
  EXPECT_EQ(hub_.requests().size(), before);
}

TEST_F(DownloadModel, OfflineNothingIsRequested) {
  for (const char* variable : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    setenv(variable, "true", 1);
    const auto fetch = [](const io::HubName& name) { return download_model(name, Contents::kModel); };
    EXPECT_THAT([&] { find_model("org/tiny", Contents::kModel, "--model", fetch); },
                ThrowsMessage<NotFoundError>(HasSubstr(std::string("unset ") + variable)));
    unsetenv(variable);
  }
  EXPECT_THAT(hub_.requests(), IsEmpty());
}

TEST_F(DownloadModel, IndexWithoutItsShardsIsIncomplete) {
  const fs::path snapshot = download();
  fs::remove(snapshot / "model.safetensors");
  write_text(snapshot / "model.safetensors.index.json", R"({"weight_map": {"a": "model-1-of-2.safetensors"}})");
  EXPECT_THAT([] { find_model("org/tiny", Contents::kModel, "--model"); },
              ThrowsMessage<NotFoundError>(HasSubstr("incomplete download")));
}

}  // namespace
}  // namespace portatune::hub
