// A run with adapters: what its checkpoints hold, and what a resume restores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "tasks/sentences.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

const Lora kLora{.rank = 2,
                 .dropout = 0.1,
                 .target_modules = {"query", "value"},
                 .modules_to_save = {"classifier", "pooler", "score"}};
const TrainingOptions kLoraOptions{.learning_rate = 0.1, .lr_scheduler_type = "constant", .lora = kLora};

std::vector<std::string> names_in(const std::filesystem::path& path) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(path);
  std::vector<std::string> names;
  for (const io::SafetensorsEntry& entry : file.entries()) names.push_back(entry.name);
  return names;
}

TEST(LoraRun, CheckpointsHoldTheAdapterAlone) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, kLoraOptions);
  trainer.step(two_sentences(task));
  trainer.save_checkpoint(folder / "saved");
  EXPECT_FALSE(std::filesystem::exists(folder / "saved" / "model.safetensors"));
  const std::vector<std::string> names = names_in(folder / "saved" / "adapter_model.safetensors");
  EXPECT_THAT(names, Each(StartsWith("base_model.model.")));
  EXPECT_THAT(names, IsSupersetOf({"base_model.model.bert.encoder.layer.0.attention.self.query.lora_A.weight",
                                   "base_model.model.bert.encoder.layer.0.attention.self.value.lora_B.weight",
                                   "base_model.model.bert.pooler.dense.weight", "base_model.model.classifier.bias"}));
  EXPECT_EQ(names_in(folder / "saved" / "optimizer.safetensors").size(), 2 * names.size());
}

TEST(LoraRun, TheFolderNamesItsModelAndItsModules) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, kLoraOptions);
  trainer.step(two_sentences(task));
  trainer.save(folder / "saved");
  const io::JsonObject config = io::JsonObject::read(folder / "saved" / "adapter_config.json");
  EXPECT_EQ(config.get_string("base_model_name_or_path"), std::filesystem::canonical(kTinyBert));
  EXPECT_EQ(config.get_string("task_type"), "SEQ_CLS");
  EXPECT_THAT(config.get_strings("target_modules"), ElementsAre("query", "value"));
  EXPECT_THAT(config.get_strings("modules_to_save"), ElementsAre("classifier", "pooler"));
  EXPECT_EQ(hub::base_of(folder / "saved"), std::filesystem::canonical(kTinyBert));
}

TEST(LoraRun, ResumeGivesTheLossOfTheUnbrokenRun) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer whole(decompositions(), task, kLoraOptions);
  whole.step(two_sentences(task));
  whole.save_checkpoint(folder / "saved");
  whole.step(two_sentences(task));

  const TextClassification saved = task_from(folder / "saved");
  Trainer second(decompositions(), saved, kLoraOptions);
  second.resume(folder / "saved");
  second.step(two_sentences(saved));
  EXPECT_EQ(second.step(two_sentences(saved)).loss(), whole.step(two_sentences(task)).loss());
}

double first_loss(bool use_dora) {
  const TextClassification task = task_from(kTinyBert);
  TrainingOptions options = kLoraOptions;
  options.lora->use_dora = use_dora;
  return Trainer(decompositions(), task, options).evaluate(data::from_examples({two_sentences(task)})).front().second;
}

TEST(LoraRun, DoraStartsAsTheModel) { EXPECT_NEAR(first_loss(true), first_loss(false), 1e-6); }

TEST(LoraRun, DoraAndBiasesAreSavedAsInPeft) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  TrainingOptions options = kLoraOptions;
  options.lora->use_dora = true;
  options.lora->bias = LoraBias::kAll;
  Trainer trainer(decompositions(), task, options);
  trainer.step(two_sentences(task));
  trainer.save(folder / "saved");
  const std::string attention = "base_model.model.bert.encoder.layer.0.attention.";
  EXPECT_THAT(names_in(folder / "saved" / "adapter_model.safetensors"),
              IsSupersetOf({attention + "self.query.lora_magnitude_vector", attention + "self.query.base_layer.bias",
                            attention + "self.key.bias", attention + "output.LayerNorm.bias"}));
  const Lora saved = *hub::lora_of(folder / "saved");
  EXPECT_TRUE(saved.use_dora);
  EXPECT_EQ(saved.bias, LoraBias::kAll);
  const TextClassification again = task_from(folder / "saved");
  TrainingOptions further = kLoraOptions;
  further.lora = saved;
  Trainer second(decompositions(), again, further);
  const data::Dataset batches = data::from_examples({two_sentences(task)});
  EXPECT_EQ(second.evaluate(batches), trainer.evaluate(batches));
}

TEST(LoraRun, BiasesOfAdaptedLayersNeedNames) {
  TrainingOptions options = kLoraOptions;
  options.lora->target_modules = {kAllLinear};
  options.lora->bias = LoraBias::kLoraOnly;
  const TextClassification task = task_from(kTinyBert);
  EXPECT_THAT(message_of<UsageError>([&] { Trainer(decompositions(), task, options); }), HasSubstr("all-linear"));
}

TEST(LoraRun, AnUnknownTargetIsAnErrorWithTheNameOfALinearLayer) {
  TrainingOptions options = kLoraOptions;
  options.lora->target_modules = {"nothing"};
  const TextClassification task = task_from(kTinyBert);
  Trainer trainer(decompositions(), task, options);
  EXPECT_THAT(message_of<UsageError>([&] { trainer.step(two_sentences(task)); }),
              AllOf(StartsWith("lora_target_modules\n"), HasSubstr("such as bert.encoder.layer.0.attention.self.")));
}

TEST(LoraRun, ContinuesNoRunOfAnotherRank) {
  TrainingOptions other = kLoraOptions;
  other.lora->rank = 3;
  EXPECT_THAT(message_of<UsageError>([&] {
                train::require_same_run("saved", train::facts_of(kLoraOptions, {}), train::facts_of(other, {}));
              }),
              HasSubstr("rank 3"));
}

// The adapter's folder would lack them.
TEST(LoraRun, RefusesFrozenWeightsThatTheModelLacks) {
  const TemporaryFolder folder;
  std::filesystem::copy(kTinyBert, folder / "bert");
  const io::SafetensorsFile file = io::SafetensorsFile::open(kTinyBert / "model.safetensors");
  std::vector<NamedTensorView> tensors;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.starts_with("pooler.")) tensors.push_back({entry.name, file.view(entry)});
  }
  std::filesystem::remove(folder / "bert" / "model.safetensors");
  io::write_safetensors(folder / "bert" / "model.safetensors", tensors);

  TrainingOptions options = kLoraOptions;
  const TextClassification task = task_from(folder / "bert");
  Trainer(decompositions(), task, options).load(two_sentences(task));
  options.lora->modules_to_save = {"classifier"};
  Trainer trainer(decompositions(), task, options);
  EXPECT_THAT(message_of<CheckpointError>([&] { trainer.load(two_sentences(task)); }),
              AllOf(HasSubstr("bert.pooler.dense"), HasSubstr("--modules-to-save")));
}

TEST(LoraRun, NamesTargetsAndModulesThatDoNotExist) {
  const TextClassification task = task_from(kTinyBert);
  const auto message = [&](const Lora& lora) {
    TrainingOptions options = kLoraOptions;
    options.lora = lora;
    Trainer trainer(decompositions(), task, options);
    return message_of<UsageError>([&] { trainer.step(two_sentences(task)); });
  };
  EXPECT_THAT(message({.target_modules = {"query", "q_proj"}, .modules_to_save = {"classifier", "pooler"}}),
              HasSubstr("'q_proj'"));
  EXPECT_THAT(message({.target_modules = {"query"}, .modules_to_save = {"classifier", "pooler", "poolr"}}),
              HasSubstr("'poolr'"));
}

}  // namespace
}  // namespace portatune::test
