// A run with frozen parameters: its weights, its checkpoints, and what a resume compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/program/batch_shapes.h"
#include "portatune/train/program/programs.h"
#include "tasks/sentences.h"
#include "train/plane_task.h"
#include "train/sentence_task.h"

namespace portatune::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFrozen = "embeddings.word_embeddings.weight";
constexpr const char* kTrained = "encoder.layer.0.output.dense.weight";

const TrainingOptions kFrozenOptions{.learning_rate = 0.1, .lr_scheduler_type = "constant", .freeze = {"embeddings"}};

// Tensors of a file whose names end so: the weight with and without the prefix "bert.", or all its slots.
std::vector<std::vector<float>> tensors(const std::filesystem::path& path, const std::string& name) {
  const io::SafetensorsFile file = io::SafetensorsFile::open(path);
  std::vector<std::vector<float>> found;
  for (const io::SafetensorsFile::Entry& entry : file.entries()) {
    if (entry.name.ends_with(name)) found.push_back(to_floats(file.view(entry)));
  }
  return found;
}

TEST(FrozenRun, KeepsTheFrozenWeightsAlone) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, kFrozenOptions);
  trainer.step(two_sentences(task));
  trainer.save_checkpoint(folder / "saved");
  const auto weight = [](const std::filesystem::path& model, const char* name) {
    return tensors(model / "model.safetensors", name).at(0);
  };
  EXPECT_EQ(weight(folder / "saved", kFrozen), weight(kTinyBert, kFrozen));
  EXPECT_NE(weight(folder / "saved", kTrained), weight(kTinyBert, kTrained));
  EXPECT_EQ(tensors(folder / "saved" / "optimizer.safetensors", kTrained).size(), 2);
  EXPECT_TRUE(tensors(folder / "saved" / "optimizer.safetensors", kFrozen).empty());
}

TEST(FrozenRun, ResumeGivesTheLossOfTheUnbrokenRun) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer whole(decompositions(), task, kFrozenOptions);
  whole.step(two_sentences(task));
  whole.save_checkpoint(folder / "saved");
  whole.step(two_sentences(task));

  const TextClassification saved = task_from(folder / "saved");
  Trainer second(decompositions(), saved, kFrozenOptions);
  second.resume(folder / "saved");
  second.step(two_sentences(saved));
  EXPECT_EQ(second.step(two_sentences(saved)).loss(), whole.step(two_sentences(task)).loss());
}

TEST(FrozenRun, ContinuesNoRunThatTrainedAll) {
  EXPECT_THAT(message_of<UsageError>([] {
                train::require_same_run("saved", train::facts_of({}, {}), train::facts_of(kFrozenOptions, {}));
              }),
              HasSubstr("freeze"));
}

// The plane with a tensor that is saved although nothing depends on it.
class KeepingTask final : public PlaneTask {
 public:
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    root.buffer("kept", {2}, {});
    return PlaneTask::forward(root, batch);
  }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override {
    InitialWeights weights = PlaneTask::initial_weights(parameters.first(2), seed);
    weights.values.push_back(Tensor({2}, {3.0f, 4.0f}));
    return weights;
  }
};

TEST(FrozenRun, AnUnusedBufferIsSavedAndNoArgument) {
  const KeepingTask task;
  const data::Example batch = *plane_batches(1).iterate().next();
  const train::Signature signature = train::signature_of(task, batch);
  const auto arguments = [&](const Task& of) {
    return std::array{train::step_program(of, signature, {}).function.parameters.size(),
                      train::gradient_program(of, signature, {}).function.parameters.size(),
                      train::evaluation_program(of, signature, {}).function.parameters.size()};
  };
  EXPECT_EQ(arguments(task), arguments(PlaneTask()));

  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, {.learning_rate = 0.1, .lr_scheduler_type = "constant"});
  trainer.load(batch);  // by the program of an evaluation
  trainer.step(batch);
  EXPECT_EQ(trainer.gradients(batch).by_parameter.size(), 2);
  trainer.save_checkpoint(folder / "saved");
  EXPECT_EQ(tensors(folder / "saved" / "model.safetensors", "kept").at(0), (std::vector<float>{3, 4}));
  EXPECT_NE(tensors(folder / "saved" / "model.safetensors", "first").at(0), (std::vector<float>{1, -1}));
  EXPECT_TRUE(tensors(folder / "saved" / "optimizer.safetensors", "kept").empty());
}

}  // namespace
}  // namespace portatune::test
