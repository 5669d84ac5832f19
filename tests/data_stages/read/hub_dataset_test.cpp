// Data sets of the Hub by name, read from a Hub of this machine.
#include "portatune/data/read/hub_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "data_stages/resuming.h"
#include "io/fake_hub.h"
#include "io/table_file.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;

class HubDataset : public testing::Test {
 protected:
  HubDataset() {
    hub_.files["README.md"] = {"# Tiny\n"};
    hub_.files["data/train-00000-of-00001.csv"] = {"text,label\ngood,1\nbad,0\n", true};
    hub_.files["data/test-00000-of-00001.csv"] = {"text,label\nfine,1\n"};
  }

  static std::vector<std::string> texts(const std::string& word) {
    std::vector<std::string> texts;
    Cursor rows = read_table(word).iterate();
    while (auto row = rows.next()) texts.push_back(row->text("text"));
    return texts;
  }

  FakeHub hub_{io::HubKind::kDataset};
};

TEST_F(HubDataset, HasFilesOfASplit) {
  const auto files = ElementsAre("hf://datasets/org/tiny/data/train-00000-of-00001.csv");
  EXPECT_THAT(hub_dataset_files("hf:org/tiny:train"), files);
  EXPECT_THAT(hub_dataset_files("hf://datasets/org/tiny:train"), files);
  EXPECT_THAT(hub_dataset_files("hf:org/tiny@refs/pr/1/default:train"),
              ElementsAre("hf://datasets/org/tiny@refs/pr/1/data/train-00000-of-00001.csv"));
}

TEST_F(HubDataset, GetsASplitUnlessItHasOne) {
  EXPECT_EQ(with_split("hf:org/tiny", "train"), "hf:org/tiny:train");
  EXPECT_EQ(with_split("hf://datasets/org/tiny", "train"), "hf://datasets/org/tiny:train");
  EXPECT_EQ(with_split("hf:org/tiny:test", "train"), "hf:org/tiny:test");
  EXPECT_EQ(with_split("hf://datasets/org/tiny/a.csv", "train"), "hf://datasets/org/tiny/a.csv");
  EXPECT_EQ(with_split("a.csv", "train"), "a.csv");
}

TEST_F(HubDataset, IsReadLikeItsFiles) {
  EXPECT_THAT(texts("hf:org/tiny:train"), ElementsAre("good", "bad"));
  EXPECT_THAT(texts("hf:org/tiny:test"), ElementsAre("fine"));
  EXPECT_THAT(texts("hf://datasets/org/tiny/data/*-00000-of-00001.csv"), ElementsAre("fine", "good", "bad"));
  EXPECT_THAT(texts("hf://datasets/org/tiny/data"), ElementsAre("fine", "good", "bad"));
  expect_error<NotFoundError>([] { texts("hf://datasets/org/tiny/no"); }, {"no such folder"});
}

TEST_F(HubDataset, MayHaveFilesWhoseNamesLookLikePatterns) {
  hub_.files = {{"train-1.csv", {"text,label\ngood,1\n"}}, {"train-[1].csv", {"text,label\nbad,0\n"}}};
  const std::vector<std::string> files = hub_dataset_files("hf:org/tiny:train");
  EXPECT_THAT(files, ElementsAre("hf://datasets/org/tiny/train-1.csv", "hf://datasets/org/tiny/train-[1].csv"));
  EXPECT_EQ(table_files(files), files);
  EXPECT_EQ(table_files({"hf://datasets/org/tiny@main/train-*.csv"}), files);
}

// The Hub may send files outside of Git LFS as a whole.
TEST_F(HubDataset, MayBeSentAsAWhole) {
  std::string rows = "text,label\n";
  for (int i = 0; i < 50'000; ++i) rows += "row " + std::to_string(i) + ",1\n";
  hub_.files["data/test-00000-of-00001.csv"] = {rows};
  hub_.answer = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!request.path().ends_with("test-00000-of-00001.csv")) return std::nullopt;
    return HttpResponse{.headers = {{"ETag", "\"1\""}}, .body = rows};
  };
  EXPECT_EQ(texts("hf:org/tiny:test").size(), 50'000);
}

TEST_F(HubDataset, OfAnUnknownSplitOrConfigurationNamesThose) {
  expect_error<UsageError>([] { hub_dataset_files("hf:org/tiny"); }, {"no split", "train, test", "hf:org/tiny:train"});
  expect_error<UsageError>([] { hub_dataset_files("hf:org/tiny:dev"); }, {"no split 'dev'", "train, test"});
  expect_error<UsageError>([] { hub_dataset_files("hf:org/tiny/en:train"); }, {"no configuration 'en'", "default"});
}

TEST_F(HubDataset, WithoutTablesIsReadFromItsConversion) {
  hub_.files = {{"script.py", {"print()"}}};
  expect_error<NotFoundError>([] { hub_dataset_files("hf:org/tiny:train"); }, {"without tables", ".parquet"});
  hub_.converted["default/train/0000.parquet"] = {"PAR1", true};
  hub_.converted["default/partial-test/0000.parquet"] = {"PAR1", true};
  EXPECT_THAT(hub_dataset_files("hf:org/tiny:train"),
              ElementsAre("hf://datasets/org/tiny@refs/convert/parquet/default/train/0000.parquet"));
  expect_error<UsageError>([] { hub_dataset_files("hf:org/tiny:test"); }, {"only in part", "partial-test"});
}

TEST_F(HubDataset, IsRefusedOffline) {
  setenv("HF_HUB_OFFLINE", "1", 1);
  expect_error<UsageError>([] { hub_dataset_files("hf:org/tiny:train"); }, {"HF_HUB_OFFLINE", "unset"});
  unsetenv("HF_HUB_OFFLINE");
}

TEST_F(HubDataset, IsReadWithTheToken) {
  setenv("HF_TOKEN", "hf_secret", 1);
  EXPECT_THAT(texts("hf:org/tiny:test"), ElementsAre("fine"));
  for (const HttpRequest& request : hub_.requests()) EXPECT_EQ(request.header("authorization"), "Bearer hf_secret");
}

}  // namespace
}  // namespace portatune::data
