// Paths of data sets of the Hub, in the form of huggingface_hub's HfFileSystem.
#include "portatune/io/hub/hub_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/table_file.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

TEST(HubPath, HasANameARevisionAndAPath) {
  struct Case {
    std::string text, name, revision, path, url;
  };
  const Case cases[] = {
      {"org/set", "org/set", "main", "", "org/set"},
      {"org/set/a/b.csv", "org/set", "main", "a/b.csv", "org/set/a/b.csv"},
      {"org/set@v1/a.csv", "org/set", "v1", "a.csv", "org/set@v1/a.csv"},
      {"org/set@refs/convert/parquet/en/train/0.parquet", "org/set", "refs/convert/parquet", "en/train/0.parquet",
       "org/set@refs/convert/parquet/en/train/0.parquet"},
      {"org/set@refs%2Fpr%2F1/a.csv", "org/set", "refs/pr/1", "a.csv", "org/set@refs/pr/1/a.csv"},
      {"org/set@feature%2Fx/a.csv", "org/set", "feature/x", "a.csv", "org/set@feature%2Fx/a.csv"},
      {"squad", "squad", "main", "", "squad"},
      {"org/set/a@b.csv", "org/set", "main", "a@b.csv", "org/set/a@b.csv"},
  };
  for (const Case& c : cases) {
    const HubPath path = HubPath::parse(c.text, c.text);
    EXPECT_EQ(path.name.name, c.name) << c.text;
    EXPECT_EQ(path.name.revision, c.revision) << c.text;
    EXPECT_EQ(path.path, c.path) << c.text;
    EXPECT_EQ(to_url(path), "hf://datasets/" + c.url);
  }
}

TEST(HubPath, OfAnotherFormIsRefused) {
  for (const char* text : {"", "/a", "../set", "org/..", "org/set@"}) {
    expect_error<UsageError>([&] { HubPath::parse(text, "hf:word"); }, {"hf:word", "hf:org/name:train"});
  }
  for (const char* url : {"hf://org/model/a.csv", "hf://spaces/org/a/b", "hf://datasets/org/set"}) {
    expect_error<UsageError>([&] { hub_transport(url); }, {url, "hf://datasets/org/name/file"});
  }
}

}  // namespace
}  // namespace portatune::io
