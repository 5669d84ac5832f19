#include "portatune/hub/adapters/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter_names.h"
#include "portatune/hub/adapters/rebased_adapter.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const fs::path kCases = fs::path(PORTATUNE_TEST_DATA) / "adapters";

TEST(Adapter, HasTheLayersRanksAndScalesOfPeft) {
  const Lora lora = read_adapter(kCases / "bert_patterns").lora;
  EXPECT_EQ(lora.rank, 3);
  EXPECT_EQ(lora.alpha, 4);
  const std::string layer = "bert.encoder.layer.0.";
  EXPECT_THAT(lora.target_modules, ElementsAre(layer + "attention.output.dense", layer + "attention.self.query",
                                               layer + "intermediate.dense", layer + "output.dense"));
  EXPECT_THAT(lora.rank_pattern, ElementsAre(Pair(layer + "attention.output.dense", 2),
                                             Pair(layer + "attention.self.query", 5), Pair(layer + "output.dense", 2)));
  EXPECT_THAT(lora.alpha_pattern, ElementsAre(Pair(layer + "attention.self.query", 3)));
  EXPECT_THAT(lora.modules_to_save, ElementsAre("classifier", "score"));
}

// peft looks for the names that modules have in the memory of transformers.
TEST(Adapter, PatternsOfAModelWithOtherNamesListItsLayers) {
  const TemporaryFolder folder;
  const fs::path model = fs::path(PORTATUNE_TEST_DATA) / "models" / "vit_softmax";
  fs::copy_file(model / "config.json", folder / "config.json");
  const std::string attention = "vit.encoder.layer.0.attention.attention.";
  const std::vector<std::string> parameters = {attention + "query.lora_A.weight", attention + "value.lora_A.weight"};
  const Lora lora{.target_modules = {"query", "value"}, .rank_pattern = {{"query", 2}}};
  write_adapter_config(folder.path(), lora, parameters, model);
  EXPECT_THAT(io::read_text(folder / kAdapterConfig, 100'000),
              AllOf(HasSubstr("\"vit.layers.0.attention.q_proj\": 2"), testing::Not(HasSubstr("\"query\": 2"))));
}

// The forward() of PEFT's classes for tasks passes input_ids on.
TEST(Adapter, OfAModelOfSoundsHasNoTask) {
  for (const char* name : {"wav2vec2_softmax", "whisper_lm", "bart_lm"}) {
    const TemporaryFolder folder;
    const fs::path model = fs::path(PORTATUNE_TEST_DATA) / "models" / name;
    fs::copy_file(model / "config.json", folder / "config.json");
    write_adapter_config(folder.path(), Lora{.target_modules = {"q_proj"}}, {}, model);
    const std::string task = std::string(name) == "bart_lm" ? "\"SEQ_2_SEQ_LM\"" : "null";
    EXPECT_THAT(io::read_text(folder / kAdapterConfig, 100'000), HasSubstr("\"task_type\": " + task)) << name;
  }
}

// An error would lose the weights that a run has trained.
TEST(Adapter, IsWrittenForAModelWhosePathIsNotUtf8) {
  const TemporaryFolder folder;
  const fs::path model = folder / "mod\xe8le";
  fs::create_directory(model);
  fs::copy_file(fs::path(PORTATUNE_TEST_DATA) / "models" / "bert_softmax" / "config.json", model / "config.json");
  fs::copy_file(model / "config.json", folder / "config.json");
  const std::vector<std::string> parameters = {"bert.encoder.layer.0.attention.self.query.lora_A.weight"};
  write_adapter_config(folder.path(), Lora{.target_modules = {"query"}}, parameters, model);
  EXPECT_THAT(io::read_text(folder / kAdapterConfig, 100'000), HasSubstr("mod\xef\xbf\xbdle\""));
}

TEST(Adapter, FindsItsModelBesideItself) {
  const fs::path base = fs::path(PORTATUNE_TEST_DATA) / "models" / "bert_softmax";
  EXPECT_TRUE(fs::equivalent(base_of(kCases / "bert"), base));
  EXPECT_TRUE(fs::equivalent(folder_of_settings(kCases / "bert"), base));
  EXPECT_EQ(base_of(base), base);
}

class ChangedAdapter : public testing::Test {
 protected:
  ChangedAdapter() {
    fs::copy(kCases / "bert", path_);
    text_ = io::read_text(path_ / kAdapterConfig, 100'000);
  }
  // The error of reading the adapter with another text in its config.
  std::string refusal(const std::string& before, const std::string& after) {
    std::string text = text_;
    text.replace(text.find(before), before.size(), after);
    fs::remove(path_ / kAdapterConfig);
    io::write_file(path_ / kAdapterConfig, text);
    return message_of<CheckpointError>([&] { read_adapter(path_); });
  }

  const TemporaryFolder folder_;
  const fs::path path_ = folder_ / "adapter";
  std::string text_;
};

TEST_F(ChangedAdapter, OtherMethodsAreRefused) {
  EXPECT_THAT(refusal("\"LORA\"", "\"IA3\""), AllOf(HasSubstr("IA3"), HasSubstr("merge_and_unload()")));
  EXPECT_THAT(refusal("\"bias\": \"none\"", "\"bias\": \"boft_only\""), HasSubstr("lora_only"));
  EXPECT_THAT(refusal("\"init_lora_weights\": false", "\"init_lora_weights\": \"pissa\""), HasSubstr("pissa"));
  EXPECT_THAT(refusal("\"loftq_config\": {}", "\"loftq_config\": {\"loftq_bits\": 4}"), HasSubstr("loftq_bits"));
  EXPECT_THAT(refusal("\"layer_replication\": null", "\"layer_replication\": [[0, 1]]"), HasSubstr("[[0,1]]"));
}

// As of sentence-transformers: the checkpoint has encoder.layer.0..., and the adapter bert.encoder.layer.0...
TEST_F(ChangedAdapter, GivesNamesOfABareEncoderTheirFirstModule) {
  const fs::path whole = base_of(kCases / "bert"), bare = folder_ / "bare";
  fs::create_directory(bare);
  fs::copy(whole / "config.json", bare / "config.json");
  const io::SafetensorsFile file = io::SafetensorsFile::open(whole / "model.safetensors");
  std::vector<NamedTensorView> tensors;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    if (entry.name.starts_with("bert.")) tensors.push_back({entry.name.substr(5), file.view(entry)});
  }
  io::write_safetensors(bare / "model.safetensors", tensors);
  const std::string key = "\"base_model_name_or_path\": \"";
  const size_t begin = text_.find(key) + key.size();
  text_.replace(begin, text_.find('"', begin) - begin, bare.string());
  fs::remove(path_ / kAdapterConfig);
  io::write_file(path_ / kAdapterConfig, text_);

  const ModelFolder model = ModelFolder::open(path_);
  EXPECT_TRUE(model.find("bert.encoder.layer.0.attention.self.query.weight"));
  for (const NamedTensorView& tensor : model.tensors()) {
    EXPECT_TRUE(tensor.name.starts_with("bert.") || tensor.name.starts_with("classifier.")) << tensor.name;
  }
}

TEST_F(ChangedAdapter, AWeightWithoutItsPartnerIsRefused) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(kCases / "bert" / "adapter_model.safetensors");
  std::vector<NamedTensorView> tensors;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.ends_with("layer.1.attention.self.value.lora_B.weight")) {
      tensors.push_back({entry.name, file.view(entry)});
    }
  }
  fs::remove(path_ / "adapter_model.safetensors");
  io::write_safetensors(path_ / "adapter_model.safetensors", tensors);
  EXPECT_THAT(message_of<CheckpointError>([&] { read_adapter(path_); }), HasSubstr("value.lora_B.weight"));
}

TEST_F(ChangedAdapter, DoraWithoutMagnitudesIsRefused) {
  EXPECT_THAT(refusal("\"use_dora\": false", "\"use_dora\": true"), HasSubstr("query.lora_magnitude_vector"));
}

// The names of parameters. Those in the file are derived from them.
std::vector<std::string> parameters_of(const Adapter& adapter) {
  std::vector<std::string> parameters, names, in_file;
  for (const NamedTensorView& tensor : adapter.tensors) parameters.push_back(tensor.name);
  for (const std::string& parameter : parameters) names.push_back(name_in_adapter(parameter, parameters));
  for (const io::SafetensorsEntry& entry : adapter.files.front().entries()) in_file.push_back(entry.name);
  EXPECT_EQ(names, in_file);
  return parameters;
}

TEST(Adapter, HasTheBiasesOfPeft) {
  const Adapter adapter = read_adapter(kCases / "opt_biases");
  EXPECT_EQ(adapter.lora.bias, LoraBias::kLoraOnly);
  EXPECT_THAT(parameters_of(adapter), testing::Contains("model.decoder.layers.0.self_attn.q_proj.bias"));
}

TEST(Adapter, HasTheLayersOfVitAndDeit) {
  EXPECT_THAT(parameters_of(read_adapter(kCases / "vit")),
              testing::IsSupersetOf({"vit.encoder.layer.0.attention.attention.query.lora_A.weight",
                                     "vit.encoder.layer.1.intermediate.dense.lora_B.weight"}));
  EXPECT_THAT(parameters_of(read_adapter(kCases / "deit")),
              testing::IsSupersetOf({"deit.encoder.layer.0.attention.output.dense.lora_A.weight",
                                     "deit.encoder.layer.1.output.dense.lora_B.weight"}));
}

TEST(RebasedAdapter, IsTheAdapterForAnotherModel) {
  const fs::path models = fs::path(PORTATUNE_TEST_DATA) / "models", other = models / "bert_sigmoid";
  fs::path folder;
  {
    const RebasedAdapter adapter(kCases / "bert", other);
    folder = adapter.folder();
    EXPECT_EQ(folder.filename(), "bert");
    EXPECT_TRUE(fs::equivalent(base_of(folder), other));
    EXPECT_EQ(read_adapter(folder).lora, read_adapter(kCases / "bert").lora);
  }
  EXPECT_FALSE(fs::exists(folder.parent_path()));
  EXPECT_TRUE(fs::equivalent(base_of(kCases / "bert"), models / "bert_softmax"));
}

TEST(RebasedAdapter, RemovesTheFoldersOfDeadProcesses) {
  const TemporaryFolder temporary;
  setenv("TMPDIR", temporary.path().c_str(), 1);
  const fs::path dead = temporary / "portatune-adapter-dead", other = temporary / "other";
  for (const auto& folder : {dead, other}) fs::create_directory(folder);
  {
    const RebasedAdapter first(kCases / "bert", fs::path(PORTATUNE_TEST_DATA) / "models" / "bert_sigmoid");
    const RebasedAdapter second(kCases / "bert", fs::path(PORTATUNE_TEST_DATA) / "models" / "bert_sigmoid");
    EXPECT_TRUE(fs::exists(first.folder() / "adapter_config.json"));
  }
  unsetenv("TMPDIR");
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(other));
}

TEST(RebasedAdapter, NeedsAnAdapterAndAModel) {
  const fs::path model = fs::path(PORTATUNE_TEST_DATA) / "models" / "bert_softmax", adapter = kCases / "bert";
  EXPECT_THAT(message_of<UsageError>([&] { RebasedAdapter(model, model); }), HasSubstr("adapter_config.json"));
  EXPECT_THAT(message_of<UsageError>([&] { RebasedAdapter(adapter, adapter); }), HasSubstr("portatune merge"));
  const TemporaryFolder folder;
  const fs::path named = folder / "mod\xe8le";
  fs::copy(model, named);
  EXPECT_THAT(message_of<UsageError>([&] { RebasedAdapter(adapter, named); }), HasSubstr("not UTF-8"));
}

TEST_F(ChangedAdapter, AnAdapterOfAnAdapterIsRefused) {
  fs::remove(path_ / kAdapterConfig);
  io::write_file(path_ / kAdapterConfig,
                 R"({"peft_type": "LORA", "base_model_name_or_path": ")" + (kCases / "bert").string() + "\"}");
  EXPECT_THAT(message_of<CheckpointError>([&] { base_of(path_); }), HasSubstr("portatune merge"));
}

}  // namespace
}  // namespace portatune::hub
