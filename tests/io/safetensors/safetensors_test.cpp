#include "portatune/io/safetensors/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kCases = std::filesystem::path(PORTATUNE_TEST_DATA) / "safetensors";

TEST(SafetensorsFile, ReadsAFileOfThePackage) {
  const auto file = SafetensorsFile::open(kCases / "written_by_the_package.safetensors");
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "pt"}}));
  ASSERT_TRUE(file.find("a") && file.find("b"));
  EXPECT_EQ(file.find("a")->type, (TensorType{DType::kFloat32, {2, 3}}));
  EXPECT_THAT(file.find("a")->as<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(file.find("b")->as<int64_t>(), ElementsAre(7, -8));
  EXPECT_FALSE(file.find("c"));
}

TEST(SafetensorsFile, ReadsMetadataAndEscapedNames) {
  EXPECT_EQ(SafetensorsFile::open(kCases / "metadata.safetensors").metadata(),
            (SafetensorsMetadata{{"format", "pt"}, {"note", "\u00e4\n"}}));
  EXPECT_EQ(SafetensorsFile::open(kCases / "escaped_name.safetensors").entries()[0].name, "w/\"");
}

TEST(SafetensorsFile, EntriesHaveTheOrderOfTheFile) {
  const auto file = SafetensorsFile::open(kCases / "out_of_order.safetensors");
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].name, "a");
  EXPECT_EQ(file.entries()[1].name, "b");
  EXPECT_EQ(file.entries()[1].offset - file.entries()[0].offset, 12);
}

TEST(SafetensorsFile, KnowsEveryElementType) {
  const auto file = SafetensorsFile::open(kCases / "every_dtype.safetensors");
  const std::pair<const char*, DType> expected[] = {
      {"bool", DType::kBool},   {"i8", DType::kInt8},       {"u8", DType::kUInt8},    {"i16", DType::kInt16},
      {"i32", DType::kInt32},   {"u32", DType::kUInt32},    {"i64", DType::kInt64},   {"u64", DType::kUInt64},
      {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16}, {"f32", DType::kFloat32}, {"f64", DType::kFloat64}};
  for (const auto& [name, dtype] : expected) EXPECT_EQ(file.find(name)->type, (TensorType{dtype, {1}})) << name;
}

TEST(SafetensorsFile, ReadingEqualsMapping) {
  const auto path = kCases / "written_by_the_package.safetensors";
  const auto file = SafetensorsFile::open(path, FileAccess::kRead);
  EXPECT_THAT(file.find("a")->as<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(SafetensorsFile, ViewsStayValidWhenTheFileIsMoved) {
  auto file = SafetensorsFile::open(kCases / "written_by_the_package.safetensors");
  const TensorView before = *file.find("b");
  const SafetensorsFile moved = std::move(file);
  EXPECT_EQ(moved.find("b")->data, before.data);
}

TEST(SafetensorsFile, RefusesOtherThanRegularFiles) {
  const TemporaryFolder folder;
  EXPECT_THROW(SafetensorsFile::open(folder / "none.safetensors"), NotFoundError);
  EXPECT_THROW(SafetensorsFile::open(folder.path()), IoError);
  EXPECT_THROW(SafetensorsFile::open("/dev/zero"), IoError);
}

TEST(WriteSafetensors, WritesTheBytesOfTheFormat) {
  const TemporaryFolder folder;
  const Tensor w({2}, {1.0f, -2.0f});
  write_safetensors(folder / "m.safetensors", std::vector<NamedTensorView>{{"w", w.view()}});
  std::string json = R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  json.resize(120, ' ');
  const std::string length("\x78\0\0\0\0\0\0\0", 8);
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
  EXPECT_EQ(text_of(folder / "m.safetensors"), length + json + data);
}

TEST(WriteSafetensors, RoundTripsAndAlignsLargeTensors) {
  const TemporaryFolder folder;
  const Tensor odd({3}, {1.0f, 2.0f, 3.0f});
  const Tensor bytes({5}, {uint8_t{1}, uint8_t{2}, uint8_t{3}, uint8_t{4}, uint8_t{5}});
  const Tensor wide({1}, {2.5});
  const Tensor big({DType::kBFloat16, {8, 32}});
  const Tensor empty({DType::kFloat32, {0, 4}});
  const Tensor scalar({}, {int64_t{-9}});
  const std::vector<NamedTensorView> tensors = {{"odd", odd.view()},     {"bytes", bytes.view()},
                                                {"wide", wide.view()},   {"big", big.view()},
                                                {"empty", empty.view()}, {"\u00e4\"", scalar.view()}};
  write_safetensors(folder / "m.safetensors", tensors);
  const auto file = SafetensorsFile::open(folder / "m.safetensors");
  ASSERT_EQ(file.entries().size(), tensors.size());
  for (const auto& [name, view] : tensors) {
    const auto found = file.find(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->type, view.type) << name;
    EXPECT_EQ(std::memcmp(found->data, view.data, static_cast<size_t>(view.type.bytes())), 0) << name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(found->data) % static_cast<size_t>(size_of(view.type.dtype)), 0u) << name;
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.find("big")->data) % 64, 0u);
}

TEST(WriteSafetensors, AFileMayBeEmpty) {
  const TemporaryFolder folder;
  write_safetensors(folder / "m.safetensors", {}, {});
  EXPECT_TRUE(SafetensorsFile::open(folder / "m.safetensors").entries().empty());
}

TEST(WriteSafetensors, RefusesInvalidNames) {
  const TemporaryFolder folder;
  const Tensor w({1}, {1.0f});
  const auto write = [&](std::vector<NamedTensorView> tensors, SafetensorsMetadata metadata = {}) {
    return message_of<UsageError>([&] { write_safetensors(folder / "m.safetensors", tensors, metadata); });
  };
  EXPECT_THAT(write({{"w", w.view()}, {"w", w.view()}}), HasSubstr("'w'"));
  EXPECT_THAT(write({{"__metadata__", w.view()}}), HasSubstr("__metadata__"));
  EXPECT_THAT(write({{"\xff", w.view()}}), HasSubstr("UTF-8"));
  EXPECT_THAT(write({}, {{"note", "\xff"}}), HasSubstr("UTF-8"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WriteSafetensors, NeverOverwrites) {
  const TemporaryFolder folder;
  write_text(folder / "m.safetensors", "mine");
  EXPECT_THAT(message_of<IoError>([&] { write_safetensors(folder / "m.safetensors", {}); }), HasSubstr("File exists"));
  EXPECT_EQ(text_of(folder / "m.safetensors"), "mine");
}

TEST(WriteSafetensors, RefusesALink) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "elsewhere", folder / "m.safetensors");
  EXPECT_THROW(write_safetensors(folder / "m.safetensors", {}), IoError);
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
}

// The large tensor has several pieces, so that the sum covers several writes.
TEST(SafetensorsWriter, SumsTheFileThatItWrites) {
  const TemporaryFolder folder;
  const Tensor large(TensorType{DType::kFloat32, {300'000}}), small({3}, {1.0f, 2.0f, 3.0f});
  const std::vector<NamedTensorType> types{{"large", large.type()}, {"small", small.type()}};
  SafetensorsWriter file(folder / "file", types);
  file.write(large.view());
  file.write(small.view());
  EXPECT_EQ(file.finish(), sum_of_file(folder / "file"));
}

TEST(SafetensorsWriter, RequiresTheTensorsOfItsHeader) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.safetensors";
  const Tensor two({2}, {1.0f, 2.0f}), three({3}, {1.0f, 2.0f, 3.0f}), whole_numbers({2}, {1, 2});
  const std::vector<NamedTensorType> announced = {{"a", two.type()}, {"b", three.type()}};
  const auto message = [&](const std::vector<const Tensor*>& written) {
    const std::string error = message_of<UsageError>([&] {
      SafetensorsWriter file(path, announced);
      for (const Tensor* tensor : written) file.write(tensor->view());
      file.finish();
    });
    EXPECT_FALSE(std::filesystem::exists(path));
    return error;
  };
  EXPECT_THAT(message({&two}), AllOf(HasSubstr("the end after 1 tensors"), HasSubstr("b float32[3]")));
  EXPECT_THAT(message({}), HasSubstr("a float32[2]"));
  EXPECT_THAT(message({&three, &two}), AllOf(HasSubstr("float32[3] after 0"), HasSubstr("a float32[2]")));
  EXPECT_THAT(message({&whole_numbers}), HasSubstr("int32[2]"));
  EXPECT_THAT(message({&two, &three, &three}), HasSubstr("only the tensors in the header"));
  SafetensorsWriter file(path, announced);
  file.write(two.view());
  file.write(three.view());
  file.finish();
  EXPECT_THAT(SafetensorsFile::open(path).find("b")->as<float>(), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace portatune::io
