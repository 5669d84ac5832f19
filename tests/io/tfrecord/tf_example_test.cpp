#include "portatune/io/tfrecord/tf_example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limited_memory.h"
#include "io/tfrecord_cases.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte / 16];
    digits += "0123456789abcdef"[byte % 16];
  }
  return digits;
}

template <class T>
std::vector<T> numbers_of(const TfFeature& feature) {
  std::vector<T> values(static_cast<size_t>(feature.count()));
  feature.copy_to(std::span(values));
  return values;
}

json values_of(const TfFeature& feature) {
  if (feature.kind == FeatureKind::kInt64) return numbers_of<int64_t>(feature);
  if (feature.kind == FeatureKind::kFloat) return numbers_of<float>(feature);
  json texts = json::array();
  if (feature.kind == FeatureKind::kNone) return texts;
  EXPECT_EQ(feature.count(), std::ssize(feature.texts()));
  for (const std::string_view text : feature.texts()) texts.push_back(hexadecimal(text));
  return texts;
}

// The features of a record in the form of odd_records.json; null if the record is refused.
json features_in(const std::string& record) {
  TfExample example;
  json features = json::object();
  try {
    example.parse(record);
    for (const TfFeature& feature : example.features()) {
      features[std::string(feature.name)] = {name_of(feature.kind), values_of(feature)};
    }
  } catch (const UsageError&) {
    return nullptr;
  }
  return features;
}

// Converts float features to float precision, because a file may have more digits.
json as_floats(json features) {
  for (auto& feature : features) {
    if (feature[0] != "float") continue;
    for (json& value : feature[1]) value = value.get<float>();
  }
  return features;
}

TEST(TfExample, ReadsRecordsOfTensorFlow) {
  const json expected = tfrecord_case("examples.json");
  const std::vector<std::string> records = records_of(kTfrecordData / "examples.tfrecord");
  ASSERT_EQ(records.size(), expected.size());
  for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(features_in(records[i]), as_floats(expected[i])) << i;
}

TEST(TfExample, ReadsOddRecordsLikeProtobuf) {
  for (const json& odd : tfrecord_case("odd_records.json")) {
    const json expected = odd["features"].is_null() ? json() : as_floats(odd["features"]);
    EXPECT_EQ(features_in(from_hexadecimal(odd["record"])), expected) << odd["what"];
  }
}

TEST(TfExample, IntegersOf32BitsMustFit) {
  TfExampleWriter writer;
  writer.add("fits", std::vector<int64_t>{-5, 1 << 20, INT32_MAX, INT32_MIN});
  writer.add("large", std::vector<int64_t>{int64_t{1} << 31});
  TfExample example;
  const std::string record(writer.finish());
  example.parse(record);
  EXPECT_THAT(numbers_of<int32_t>(*example.find("fits")), ElementsAre(-5, 1 << 20, INT32_MAX, INT32_MIN));
  EXPECT_THROW(numbers_of<int32_t>(*example.find("large")), UsageError);
  EXPECT_EQ(example.find("none"), nullptr);
}

// The lengths cover those around the eight bytes that are decoded together.
TEST(TfExample, ListsOfAllLengths) {
  for (int64_t length = 0; length < 40; ++length) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < length; ++i) values.push_back(i % 11 == 10 ? 300 : i % 7 == 6 ? 1 << 20 : i);
    TfExampleWriter writer;
    writer.add("a", values);
    const std::string record(writer.finish());
    TfExample example;
    example.parse(record);
    EXPECT_EQ(numbers_of<int64_t>(*example.find("a")), values);
  }
}

// The list has 100,000 parts of two bytes. Copying it for each part would take 10 GB.
TEST(TfExampleDeathTest, AListInManyPartsNeedsLittleMemory) {
  if (!kMemoryCanBeLimited) GTEST_SKIP() << "memory cannot be limited here";
  constexpr int64_t kParts = 100'000;
  std::string parts;
  for (int64_t i = 0; i < kParts; ++i) parts += "\x1a\x02\x08\x07";  // Int64List of one 7
  const auto field = [](char tag, const std::string& message) {      // message of 2^14 to 2^21 bytes
    const size_t size = message.size();
    std::string length(3, '\0');
    for (size_t i = 0; i < 3; ++i) length[i] = static_cast<char>((size >> 7 * i & 0x7f) | (i < 2 ? 0x80 : 0));
    return tag + length + message;
  };
  const std::string record = field(0x0a, field(0x0a, std::string("\x0a\x01n", 3) + field(0x12, parts)));
  const auto read = [&] {
    TfExample example;
    example.parse(record);
    const std::vector<int64_t> values = numbers_of<int64_t>(*example.find("n"));
    return values == std::vector<int64_t>(kParts, 7);
  };
  EXPECT_EXIT(exit_after(64 << 20, read), testing::ExitedWithCode(0), "");
}

// Each feature, doubled or not, is searched among the previous ones.
TEST(TfExample, TooManyFeaturesAreRefused) {
  for (const bool doubled : {false, true}) {
    for (const int count : {TfExample::kMaxFeatures, TfExample::kMaxFeatures + 1}) {
      TfExampleWriter writer;
      for (int i = 0; i < count; ++i) writer.add(doubled ? "n" : std::to_string(i), std::vector<int64_t>{i});
      const std::string record(writer.finish());
      TfExample example;
      if (count > TfExample::kMaxFeatures) {
        EXPECT_THAT(message_of<UsageError>([&] { example.parse(record); }),
                    testing::HasSubstr("more than 16,384 features"));
      } else {
        example.parse(record);
        EXPECT_EQ(example.features().size(), doubled ? 1U : static_cast<size_t>(count));
      }
    }
  }
}

TEST(TfExample, KindsAreNotConverted) {
  TfExampleWriter writer;
  writer.add("floats", std::vector<float>{1});
  const std::string record(writer.finish());
  TfExample example;
  example.parse(record);
  EXPECT_THROW(numbers_of<int64_t>(*example.find("floats")), UsageError);
  EXPECT_THROW(example.find("floats")->texts(), UsageError);
}

TEST(TfExampleWriter, WritesTheBytesOfTensorFlow) {
  TfExampleWriter writer;
  const std::vector<std::string> records = records_of(kTfrecordData / "examples.tfrecord");
  size_t i = 0;
  for (const json& features : tfrecord_case("examples.json")) {
    for (const auto& [name, feature] : features.items()) {
      if (feature[0] == "int64") writer.add(name, feature[1].get<std::vector<int64_t>>());
      if (feature[0] == "float") writer.add(name, feature[1].get<std::vector<float>>());
      if (feature[0] != "bytes") continue;
      std::vector<std::string> texts;
      for (const json& text : feature[1]) texts.push_back(from_hexadecimal(text));
      writer.add(name, std::vector<std::string_view>(texts.begin(), texts.end()));
    }
    EXPECT_EQ(writer.finish(), records[i++]);
  }
  EXPECT_EQ(i, records.size());
}

TEST(TfExampleWriter, TheOrderOfAddingDoesNotMatter) {
  TfExampleWriter writer;
  writer.add("b", std::vector<int64_t>{1});
  writer.add("a", std::vector<float>{2});
  const std::string one(writer.finish());
  writer.add("a", std::vector<float>{2});
  writer.add("b", std::vector<int64_t>{1});
  EXPECT_EQ(writer.finish(), one);
}

}  // namespace
}  // namespace portatune::io
