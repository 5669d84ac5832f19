// tests/oracle/models/make_safetensors_cases.py makes tests/data/safetensors with the verdicts of the `safetensors`
// package.
#include "portatune/io/safetensors/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kHeaderCases = std::filesystem::path(PORTATUNE_TEST_DATA) / "safetensors";

nlohmann::json verdicts() { return nlohmann::json::parse(std::ifstream(kHeaderCases / "verdicts.json")); }

std::string file_with_header(const std::string& header, const std::string& data = {}) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors_header(std::as_bytes(std::span(file)), "made.safetensors");
}

TEST(SafetensorsHeader, AcceptsWhatThePackageAcceptsExceptForTheListedDifferences) {
  int accepted = 0;
  for (const auto& row : verdicts()) {
    if (row["portatune"] != "accept") continue;
    const std::string name = row["name"];
    EXPECT_NO_THROW(SafetensorsFile::open(kHeaderCases / (name + ".safetensors"))) << name;
    ++accepted;
  }
  EXPECT_GE(accepted, 15);
}

TEST(SafetensorsHeader, RefusesEveryBadFileAndNamesFileAndTensor) {
  int refused = 0;
  for (const auto& row : verdicts()) {
    if (row["portatune"] != "reject") continue;
    const std::string name = row["name"];
    const std::filesystem::path path = kHeaderCases / (name + ".safetensors");
    SCOPED_TRACE(name);
    const std::string message = message_of<CheckpointError>([&] { SafetensorsFile::open(path); });
    EXPECT_THAT(message, HasSubstr(path.string()));
    for (const std::string part : row["mentions"]) EXPECT_THAT(message, HasSubstr(part));
    ++refused;
  }
  EXPECT_GE(refused, 70);
}

TEST(SafetensorsHeader, IsStricterThanThePackage) {
  for (const auto& row : verdicts()) {
    EXPECT_TRUE(row["package"] == "accept" || row["portatune"] == "reject") << row["name"];
  }
}

TEST(SafetensorsHeader, EveryTruncationIsRefused) {
  const std::string whole = text_of(kHeaderCases / "written_by_the_package.safetensors");
  EXPECT_NO_THROW(parse(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), CheckpointError) << size;
  }
}

TEST(SafetensorsHeader, AChangedByteIsRefusedOrKeepsTensorsWithinTheFile) {
  const std::string whole = text_of(kHeaderCases / "every_dtype.safetensors");
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 4, 16, 128}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      try {
        for (const SafetensorsEntry& entry : parse(changed).entries) {
          EXPECT_LE(entry.offset + entry.type.bytes(), static_cast<int64_t>(changed.size())) << at;
        }
      } catch (const CheckpointError&) {
      }
    }
  }
}

TEST(SafetensorsHeader, ManyTensorsAreReadQuickly) {
  // The header has 200,000 empty tensors: quadratic work would take minutes.
  std::string header = "{";
  for (int i = 0; i < 200'000; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  EXPECT_EQ(parse(file_with_header(header + "}")).entries.size(), 200'000u);
}

TEST(SafetensorsHeader, ManyBracketsAndDigitsAreRefused) {
  EXPECT_THROW(parse(file_with_header(R"({"w":{"shape":)" + std::string(1'000'000, '['))), CheckpointError);
  EXPECT_THROW(parse(file_with_header(R"({"w":{"shape":[)" + std::string(1'000'000, '9') + "]}}")), CheckpointError);
  std::string sizes = "1";
  for (int i = 0; i < 1'000'000; ++i) sizes += ",1";
  EXPECT_THROW(parse(file_with_header(R"({"w":{"shape":[)" + sizes + "]}}")), CheckpointError);
}

}  // namespace
}  // namespace portatune::io
