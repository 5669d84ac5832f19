#include "portatune/hub/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/weight_files.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor kOne({2}, {1.0f, 2.0f});
const Tensor kTwo({3}, {3.0f, 4.0f, 5.0f});

using Names = std::vector<std::string>;

std::vector<NamedTensorView> named(const Names& names, const Tensor& tensor = kOne) {
  std::vector<NamedTensorView> tensors;
  for (const std::string& name : names) tensors.push_back({name, tensor.view()});
  return tensors;
}

Names names_of(std::span<const CompanionFile> files) {
  Names names;
  for (const CompanionFile& file : files) names.push_back(file.name);
  return names;
}

// A folder with nothing but a config.
struct Folder : TemporaryFolder {
  Folder() { write_text(*this / "config.json", R"({"architectures": ["BertForMaskedLM"], "hidden_size": 4})"); }

  void add_weights(const std::string& file, const Names& names) { io::write_safetensors(*this / file, named(names)); }
  void add_index(const nlohmann::json& weight_map) {
    write_text(*this / "model.safetensors.index.json",
               nlohmann::json{{"metadata", {{"total_size", 0}}}, {"weight_map", weight_map}}.dump());
  }
  std::string refusal() const {
    return message_of<CheckpointError>([&] { ModelFolder::open(path()); });
  }
};

Names names_of(const ModelFolder& model) {
  Names names;
  for (const NamedTensorView& tensor : model.tensors()) names.push_back(tensor.name);
  return names;
}

TEST(ModelFolder, ReadsConfigAndASingleFile) {
  Folder folder;
  io::write_safetensors(folder / "model.safetensors",
                        std::vector<NamedTensorView>{{"b", kTwo.view()}, {"a", kOne.view()}});
  const ModelFolder model = ModelFolder::open(folder.path());
  EXPECT_EQ(model.config().get_int("hidden_size"), 4);
  EXPECT_EQ(model.config_text(), text_of(folder / "config.json"));
  EXPECT_THAT(names_of(model), ElementsAre("a", "b"));
  EXPECT_THAT(model.find("b")->as<float>(), ElementsAre(3, 4, 5));
  EXPECT_FALSE(model.find("c"));
  EXPECT_FALSE(model.find(""));
}

TEST(ModelFolder, ReadsShards) {
  Folder folder;
  folder.add_weights("model-00001-of-00002.safetensors", {"a", "c"});
  folder.add_weights("model-00002-of-00002.safetensors", {"b"});
  folder.add_index({{"a", "model-00001-of-00002.safetensors"},
                    {"b", "model-00002-of-00002.safetensors"},
                    {"c", "model-00001-of-00002.safetensors"}});
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())), ElementsAre("a", "b", "c"));
}

TEST(ModelFolder, PrefersTheSingleFileAsTransformersDoes) {
  Folder folder;
  folder.add_weights("model.safetensors", {"single"});
  folder.add_weights("s.safetensors", {"shard"});
  folder.add_index({{"shard", "s.safetensors"}});
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())), ElementsAre("single"));
}

TEST(ModelFolder, ShardsMayBeLinksAsInTheHubCache) {
  Folder folder;
  std::filesystem::create_directory(folder / "blobs");
  folder.add_weights("blobs/0123", {"a"});
  std::filesystem::create_symlink("blobs/0123", folder / "model.safetensors");
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())), ElementsAre("a"));
}

TEST(ModelFolder, RefusesShardNamesOutsideTheFolder) {
  const std::string outside_name = "outside.safetensors";
  Folder outside;
  outside.add_weights(outside_name, {"a"});
  const std::string with_nul("a\0.safetensors", 14);
  for (const char* name :
       {"../x.safetensors", "/etc/passwd", "a/../b.safetensors", "a/b.safetensors", "./a.safetensors", "..",
        "C:x.safetensors", "C:\\x.safetensors", "\\\\h\\s.safetensors", "%2e%2e%2fx.safetensors", ".hidden.safetensors",
        "..safetensors", "", "a.bin", "a.safetensors ", "a\n.safetensors", "\u00e4.safetensors", "~.safetensors"}) {
    SCOPED_TRACE(name);
    Folder folder;
    folder.add_index({{"a", std::string(name)}});
    EXPECT_THAT(folder.refusal(), AllOf(HasSubstr("index.json"), HasSubstr("'a'"), HasSubstr("the file name")));
  }
  for (const std::string& name :
       {with_nul, (outside / outside_name).string(), std::string(300, 'a') + ".safetensors"}) {
    Folder folder;
    folder.add_index({{"a", name}});
    EXPECT_THAT(folder.refusal(), HasSubstr("the file name"));
  }
}

TEST(ModelFolder, IndexAndShardsMustAgree) {
  const std::string shard = "model-1.safetensors";
  {
    Folder folder;
    folder.add_index({{"a", shard}});
    EXPECT_THAT(folder.refusal(), AllOf(HasSubstr(shard), HasSubstr("missing from the folder")));
  }
  {
    Folder folder;
    folder.add_weights(shard, {"a", "stray"});
    folder.add_index({{"a", shard}});
    EXPECT_THAT(folder.refusal(), AllOf(HasSubstr(shard), HasSubstr("'stray'")));
  }
  {
    Folder folder;
    folder.add_weights(shard, {"a"});
    folder.add_index({{"a", shard}, {"lost", shard}});
    EXPECT_THAT(folder.refusal(), AllOf(HasSubstr(shard), HasSubstr("no tensor 'lost'")));
  }
  {
    Folder folder;
    folder.add_weights(shard, {"a"});
    folder.add_weights("model-2.safetensors", {"a", "b"});
    folder.add_index({{"a", shard}, {"b", "model-2.safetensors"}});
    EXPECT_THAT(folder.refusal(), AllOf(HasSubstr("model-2.safetensors"), HasSubstr("'a'")));
  }
}

TEST(ModelFolder, RefusesABrokenIndex) {
  for (const char* text : {"{}", R"({"weight_map": {}})", R"({"weight_map": []})", R"({"weight_map": {"a": 1}})",
                           R"({"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}})", "not JSON"}) {
    Folder folder;
    write_text(folder / "model.safetensors.index.json", text);
    EXPECT_THAT(folder.refusal(), HasSubstr("model.safetensors.index.json")) << text;
  }
}

TEST(ModelFolder, ReadsOldNamesOfLayerNorm) {
  Folder folder;
  folder.add_weights("model.safetensors", {"bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.beta",
                                           "layer_scale.gamma", "LayerNorm.gamma.x"});
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())),
              ElementsAre("LayerNorm.gamma.x", "bert.embeddings.LayerNorm.bias", "bert.embeddings.LayerNorm.weight",
                          "layer_scale.gamma"));
}

TEST(ModelFolder, RefusesATensorUnderOldAndNewName) {
  Folder folder;
  folder.add_weights("model.safetensors", {"LayerNorm.gamma", "LayerNorm.weight"});
  EXPECT_THAT(folder.refusal(), HasSubstr("'LayerNorm.weight' twice"));
}

// Tensors of a model, with their elements as bytes.
std::vector<std::string> contents_of(const ModelFolder& model) {
  std::vector<std::string> contents;
  for (const auto& [name, view] : model.tensors()) {
    const std::string bytes(reinterpret_cast<const char*>(view.data), static_cast<size_t>(view.type.bytes()));
    contents.push_back(name + " " + to_string(view.type) + " " + bytes);
  }
  return contents;
}

// Copies a file of tests/oracle/models/make_pytorch_cases.py.
void copy_pytorch_file(const std::string& name, const std::filesystem::path& target) {
  std::filesystem::copy_file(std::filesystem::path(PORTATUNE_TEST_DATA) / "pytorch" / name, target);
}

TEST(ModelFolder, ReadsFilesOfPytorch) {
  Folder folder;
  copy_pytorch_file("opt_350m.bin", folder / "pytorch_model.bin");
  const ModelFolder model = ModelFolder::open(folder.path());
  const ModelFolder same = ModelFolder::open(std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / "opt_350m");
  EXPECT_FALSE(model.tensors().empty());
  EXPECT_EQ(contents_of(model), contents_of(same));
  model.require_whole();
  EXPECT_TRUE(has_only_pickles(folder.path()));
  EXPECT_FALSE(has_only_pickles(same.path()));
}

TEST(ModelFolder, ReadsShardsOfPytorch) {
  Folder folder;
  copy_pytorch_file("python2_old.bin", folder / "pytorch_model-00001-of-00002.bin");
  copy_pytorch_file("storage_view_old.bin", folder / "pytorch_model-00002-of-00002.bin");
  nlohmann::json weight_map = {{"weight", "pytorch_model-00001-of-00002.bin"},
                               {"bias", "pytorch_model-00001-of-00002.bin"},
                               {"part", "pytorch_model-00002-of-00002.bin"}};
  const auto write_index = [&] {
    write_text(folder / "pytorch_model.bin.index.json", nlohmann::json{{"weight_map", weight_map}}.dump());
  };
  write_index();
  EXPECT_TRUE(has_only_pickles(folder.path()));
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())), ElementsAre("bias", "part", "weight"));

  weight_map["lost"] = "pytorch_model-00002-of-00002.bin";
  write_index();
  EXPECT_THAT(folder.refusal(), AllOf(HasSubstr("pytorch_model-00002-of-00002.bin"), HasSubstr("no tensor 'lost'")));
  weight_map["lost"] = "model.safetensors";
  write_index();
  EXPECT_THAT(folder.refusal(), AllOf(HasSubstr("the file name 'model.safetensors'"), HasSubstr("ending in .bin")));
}

TEST(ModelFolder, PrefersSafetensors) {
  Folder folder;
  write_text(folder / "pytorch_model.bin", "not read");
  folder.add_weights("s.safetensors", {"shard"});
  folder.add_index({{"shard", "s.safetensors"}});
  EXPECT_THAT(names_of(ModelFolder::open(folder.path())), ElementsAre("shard"));
  EXPECT_FALSE(has_only_pickles(folder.path()));
}

TEST(ModelFolder, RefusesAPickleThatIsNoModel) {
  Folder folder;
  write_text(folder / "pytorch_model.bin",
             std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.") + "cos\nsystem\nU\x04true\x85R.");
  EXPECT_THAT(folder.refusal(), AllOf(HasSubstr("pytorch_model.bin"), HasSubstr("'os.system'")));
}

TEST(ModelFolder, NamesOtherWeightFormatsAndMissingWeights) {
  for (const char* name : {"tf_model.h5", "model.ckpt", "flax_model.msgpack", "model.pt", "pytorch_model-1.bin"}) {
    Folder folder;
    write_text(folder / name, "x");
    EXPECT_THAT(folder.refusal(),
                AllOf(HasSubstr(name), HasSubstr("model.safetensors"), HasSubstr("pytorch_model.bin")))
        << name;
  }
  const Folder empty;
  EXPECT_THAT(empty.refusal(), HasSubstr("no weights"));
}

TEST(ModelFolder, MissingFolderOrConfigIsNotFound) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<NotFoundError>([&] { ModelFolder::open(folder / "none"); }), HasSubstr("none"));
  EXPECT_THAT(message_of<NotFoundError>([&] { ModelFolder::open(folder.path()); }), HasSubstr("config.json"));
}

TEST(ModelFolder, ListsCompanionFiles) {
  Folder folder;
  folder.add_weights("model.safetensors", {"a"});
  for (const char* name :
       {"vocab.txt", "tokenizer.json", "generation_config.json", "optimizer.pt", "README.md", "x.py"}) {
    write_text(folder / name, "x");
  }
  std::filesystem::create_directory(folder / "merges.txt");
  std::filesystem::create_directory(folder / "additional_chat_templates");
  write_text(folder / "additional_chat_templates" / "tool_use.jinja", "{{ tools }}");
  write_text(folder / "additional_chat_templates" / "notes.txt", "x");
  const ModelFolder model = ModelFolder::open(folder.path());
  EXPECT_THAT(names_of(model.companion_files()),
              ElementsAre("additional_chat_templates/tool_use.jinja", "generation_config.json", "tokenizer.json",
                          "vocab.txt"));
  const TemporaryFolder copy;
  write_companions(model, copy.path());
  EXPECT_EQ(text_of(copy / "additional_chat_templates" / "tool_use.jinja"), "{{ tools }}");
}

TEST(ModelFolder, KeepsCompanionFilesFromTheTimeOfOpening) {
  Folder folder;
  folder.add_weights("model.safetensors", {"a"});
  write_text(folder / "vocab.txt", "before");
  write_text(folder / "tokenizer.json", "{}");
  const ModelFolder model = ModelFolder::open(folder.path());
  write_text(folder / "vocab.txt", "after");  // the same file with new content
  std::filesystem::remove(folder / "tokenizer.json");
  ASSERT_THAT(names_of(model.companion_files()), ElementsAre("tokenizer.json", "vocab.txt"));
  const auto bytes = model.companion_files()[1].content.bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "before");
}

// Test with a real model: PORTATUNE_TEST_MODEL is the folder of a sentence-transformers/all-MiniLM-L6-v2.
TEST(ModelFolder, ReadsARealModel) {
  const char* const folder = std::getenv("PORTATUNE_TEST_MODEL");
  if (folder == nullptr) GTEST_SKIP() << "PORTATUNE_TEST_MODEL is not set";
  const ModelFolder model = ModelFolder::open(folder);
  const int64_t hidden = model.config().get_int("hidden_size");
  EXPECT_EQ(model.find("embeddings.word_embeddings.weight")->type.shape,
            (Shape{model.config().get_int("vocab_size"), hidden}));
  EXPECT_TRUE(model.find("encoder.layer.5.output.LayerNorm.bias"));
}

}  // namespace
}  // namespace portatune::hub
