#include "portatune/io/safetensors/tensor_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Types = std::vector<NamedTensorType>;

NamedTensorType floats(const std::string& name, int64_t count) { return {name, {DType::kFloat32, {count}}}; }

TEST(TensorFiles, AreBalancedByBytes) {
  const Types tensors{floats("a", 1), floats("b", 7), floats("c", 4), floats("d", 4), floats("e", 2)};
  EXPECT_THAT(divide_tensors(tensors, 2), ElementsAre(1, 0, 1, 1, 0));  // 9 and 9
  EXPECT_THAT(divide_tensors(tensors, 3), ElementsAre(2, 0, 1, 2, 1));  // 7, 6 and 5
  EXPECT_THAT(divide_tensors(tensors, 1), ElementsAre(0, 0, 0, 0, 0));
}

TEST(TensorFiles, TheLastMayHaveNoTensors) {
  EXPECT_THAT(divide_tensors(Types{floats("a", 1), floats("b", 7)}, 4), ElementsAre(1, 0));
}

TEST(TensorFiles, HaveTheNamesOfHuggingFace) {
  EXPECT_EQ(tensor_file("model"), "model.safetensors");
  EXPECT_EQ(tensor_index_file("model"), "model.safetensors.index.json");
  EXPECT_EQ(tensor_shard_file("model", 1, 4), "model-00002-of-00004.safetensors");
  EXPECT_EQ(tensor_shard_file("model", 99999, 123456), "model-100000-of-123456.safetensors");
}

TEST(TensorFiles, IndexListsItsShards) {
  const TemporaryFolder folder;
  const auto index = folder / "model.safetensors.index.json";
  write_text(index, R"({"weight_map": {"a": "y.safetensors", "b": "x.safetensors", "c": "y.safetensors"}})");
  EXPECT_EQ(tensor_shards(index, ".safetensors"), (std::vector<std::string>{"x.safetensors", "y.safetensors"}));
  write_text(index, R"({"weight_map": {"a": "../y.safetensors"}})");
  EXPECT_THROW(tensor_shards(index, ".safetensors"), CheckpointError);
}

TEST(TensorFiles, RoundTrip) {
  const TemporaryFolder folder;
  EXPECT_THAT(open_tensor_files(folder.path(), "model"), IsEmpty());
  const Tensor one({2}, {1.0f, 2.0f}), two({3}, {3.0f, 4.0f, 5.0f});
  write_safetensors(folder / "model-00001-of-00002.safetensors", std::vector<NamedTensorView>{{"two", two.view()}});
  write_safetensors(folder / "model-00002-of-00002.safetensors", std::vector<NamedTensorView>{{"one", one.view()}});
  write_tensor_index(folder.path(), "model", Types{floats("one", 2), floats("two", 3)}, std::vector<int64_t>{1, 0});
  const nlohmann::json index = nlohmann::json::parse(text_of(folder / "model.safetensors.index.json"));
  EXPECT_EQ(
      index,
      (nlohmann::json{
          {"metadata", {{"total_size", 20}}},
          {"weight_map", {{"one", "model-00002-of-00002.safetensors"}, {"two", "model-00001-of-00002.safetensors"}}}}));
  const std::vector<SafetensorsFile> files = open_tensor_files(folder.path(), "model");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_THAT(files[0].find("two")->as<float>(), ElementsAre(3, 4, 5));
  EXPECT_THAT(files[1].find("one")->as<float>(), ElementsAre(1, 2));

  std::filesystem::remove(folder / "model-00001-of-00002.safetensors");
  EXPECT_THAT(message_of<CheckpointError>([&] { open_tensor_files(folder.path(), "model"); }),
              AllOf(HasSubstr("index.json"), HasSubstr("model-00001-of-00002.safetensors"),
                    HasSubstr("missing from the folder")));
}

}  // namespace
}  // namespace portatune::io
