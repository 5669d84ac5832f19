#include "portatune/data/read/hub_splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::data {
namespace {

using nlohmann::json;
using testing::ElementsAre;

json to_json(const std::vector<HubConfig>& configs) {
  json found = json::array();
  for (const HubConfig& config : configs) {
    json splits = json::object();
    for (const HubSplit& split : config.splits) splits[split.name] = split.files;
    found.push_back({{"name", config.name}, {"is_default", config.is_default}, {"splits", splits}});
  }
  return found;
}

TEST(HubSplits, EqualThoseOfDatasets) {
  std::ifstream golden(PORTATUNE_TEST_DATA "/hub_splits.json");
  for (const json& c : json::parse(golden)) {
    const std::string metadata = c["metadata"];
    const std::string readme = metadata.empty() ? "" : "---" + metadata + "---\n# Data\n";
    EXPECT_EQ(to_json(hub_configs(c["files"].get<std::vector<std::string>>(), readme, "README.md")), c["configs"])
        << c["name"];
  }
}

TEST(HubSplits, MetadataMayHaveOtherLineEndsAndWhiteSpaceBefore) {
  const std::string metadata = "---\r\nconfigs:\r\n- config_name: first\r\n  data_files: a.csv\r\n---\r\n# Data\r\n";
  for (const std::string before : {"", "\r\n", " \n\t"}) {
    const std::vector<HubConfig> configs = hub_configs({"a.csv", "b.csv"}, before + metadata, "README.md");
    ASSERT_EQ(configs.size(), 1);
    EXPECT_EQ(configs[0].name, "first");
    ASSERT_EQ(configs[0].splits.size(), 1);
    EXPECT_THAT(configs[0].splits[0].files, ElementsAre("a.csv"));
  }
}

TEST(HubSplits, MetadataOfAnotherFormIsRefused) {
  for (const char* metadata : {"configs: [1]", "configs:\n- data_files: a.csv", "configs: {",
                               "configs:\n- config_name: a\n"
                               "  data_files:\n  - split: x"}) {
    const std::string readme = std::string("---\n") + metadata + "\n---\n";
    EXPECT_THROW(hub_configs({"a.csv"}, readme, "README.md"), DataError) << metadata;
  }
  EXPECT_EQ(hub_configs({"a.csv"}, "---\nlicense: mit\n---\n", "").size(), 1);
}

TEST(HubSplits, OfAConversionAreFolders) {
  const std::vector<HubConfig> configs =
      converted_configs({"en/train/0001.parquet", "en/train/0000.parquet", "en/test/0000.parquet",
                         "de/partial-train/0000.parquet", ".gitattributes"});
  ASSERT_EQ(configs.size(), 2);
  EXPECT_EQ(configs[1].name, "en");
  EXPECT_FALSE(configs[1].is_default);
  EXPECT_THAT(configs[1].splits[1].files, ElementsAre("en/train/0000.parquet", "en/train/0001.parquet"));
  EXPECT_EQ(configs[0].splits[0].name, "partial-train");
}

}  // namespace
}  // namespace portatune::data
