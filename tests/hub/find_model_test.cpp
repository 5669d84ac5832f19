#include "portatune/hub/download/find_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/download/cache.h"
#include "portatune/io/hub/environment.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A cache in HF_HUB_CACHE that holds google/bert at commit "abc".
class FindModel : public testing::Test {
 protected:
  FindModel() {
    make_model(snapshot());
    fs::create_directories(cache_folder() / "refs");
    write_text(cache_folder() / "refs" / "main", "abc");
    setenv("HF_HUB_CACHE", cache_.path().c_str(), 1);
  }
  ~FindModel() override { unsetenv("HF_HUB_CACHE"); }

  static void make_model(const fs::path& folder) {
    fs::create_directories(folder);
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) write_text(folder / file, "{}");
  }
  fs::path cache_folder() const { return cache_ / "models--google--bert"; }
  fs::path snapshot() const { return cache_folder() / "snapshots" / "abc"; }

  TemporaryFolder cache_, folder_;
};

fs::path find(const fs::path& name) { return find_model(name, Contents::kModel, "--model"); }

template <class E>
std::string refusal(const fs::path& name) {
  return message_of<E>([&] { find(name); });
}

TEST_F(FindModel, FolderIsItself) {
  make_model(folder_ / "bert");
  EXPECT_EQ(find(folder_ / "bert"), folder_ / "bert");
}

TEST_F(FindModel, HubNameIsItsSnapshotInTheCache) {
  EXPECT_EQ(find("google/bert"), snapshot());
  EXPECT_EQ(find("google/bert@main"), snapshot());
  EXPECT_EQ(find("google/bert@abc"), snapshot());
  EXPECT_THAT(refusal<NotFoundError>("google/bert@v2"), HasSubstr("no revision 'v2'"));
}

TEST_F(FindModel, CacheFolderIsItsSnapshot) { EXPECT_EQ(find(cache_folder()), snapshot()); }

TEST_F(FindModel, IncompleteDownloadIsNotUsed) {
  fs::remove(snapshot() / "model.safetensors");
  fs::create_symlink("../../blobs/missing", snapshot() / "model.safetensors");
  EXPECT_THAT(refusal<NotFoundError>("google/bert"),
              AllOf(HasSubstr("incomplete download"), HasSubstr("portatune download google/bert")));
  EXPECT_EQ(find_model("google/bert", Contents::kTokenizer, "--tokenizer"), snapshot());
}

TEST_F(FindModel, UnknownHubNameNamesTheCacheAndTheDownload) {
  for (const char* name : {"bert-base-uncased", "org/bert-base-uncased"}) {
    EXPECT_THAT(refusal<NotFoundError>(name),
                AllOf(HasSubstr("--model " + std::string(name)), HasSubstr(cache_.path().string()),
                      HasSubstr("portatune download " + std::string(name))));
  }
}

TEST_F(FindModel, OtherPathIsAMissingFolder) {
  make_model(folder_ / "minilm");
  EXPECT_THAT(refusal<NotFoundError>(folder_ / "minilmm"),
              AllOf(HasSubstr("no such folder\n"), HasSubstr("did you mean " + (folder_ / "minilm").string())));
}

TEST_F(FindModel, CacheFollowsTheEnvironmentAsInHuggingFace) {
  EXPECT_EQ(io::hub_cache(), cache_.path());
  unsetenv("HF_HUB_CACHE");
  setenv("HF_HOME", "/home/hf", 1);
  EXPECT_EQ(io::hub_cache(), "/home/hf/hub");
  unsetenv("HF_HOME");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(io::hub_cache(), "/caches/huggingface/hub");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(io::hub_cache(), fs::path(getenv("HOME")) / ".cache/huggingface/hub");
}

TEST_F(FindModel, AnAdapterIsAModel) {
  write_text(folder_ / "adapter_config.json", R"({"base_model_name_or_path": "gpt2", "task_type": "CAUSAL_LM"})");
  EXPECT_EQ(find_model(folder_.path(), Contents::kModel, "--model"), folder_.path());
}

TEST_F(FindModel, FileIsRefusedWithItsFolder) {
  make_model(folder_ / "bert");
  EXPECT_THAT(refusal<UsageError>(folder_ / "bert" / "model.safetensors"),
              AllOf(HasSubstr("a file"), HasSubstr("--model " + (folder_ / "bert").string())));
  make_model(folder_ / "my bert");
  EXPECT_THAT(refusal<UsageError>(folder_ / "my bert" / "config.json"),
              HasSubstr("--model '" + (folder_ / "my bert").string() + "'"));
}

TEST_F(FindModel, TildeInQuotesIsRefused) {
  EXPECT_THAT(refusal<UsageError>("~/bert"), HasSubstr("write the path in full"));
}

TEST_F(FindModel, FolderOfModelsIsRefusedWithTheirNames) {
  make_model(folder_ / "checkpoint-4");
  EXPECT_THAT(refusal<NotFoundError>(folder_.path()),
              AllOf(HasSubstr("without config.json"), HasSubstr((folder_ / "checkpoint-4").string())));
}

TEST(HubNameOf, AModelsPath) {
  const std::string cached = "/cache/hub/models--org--bert-base";
  EXPECT_EQ(to_string(*hub_name_of(cached + "/snapshots/0123")), "org/bert-base@0123");
  EXPECT_EQ(to_string(*hub_name_of(cached + "/snapshots/0123/")), "org/bert-base@0123");
  EXPECT_EQ(to_string(*hub_name_of(cached)), "org/bert-base");
  EXPECT_EQ(to_string(*hub_name_of("org/bert-base@v2")), "org/bert-base@v2");
  EXPECT_FALSE(hub_name_of("/"));
  EXPECT_FALSE(hub_name_of("/no/such/folder"));
}

}  // namespace
}  // namespace portatune::hub
