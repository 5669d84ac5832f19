// Saved models have the form of transformers, and compute the same there. tests/data/export_* are models that the
// command has fine-tuned; transformers has made their expected.json (tests/oracle/models/make_export_case.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/temporary_folder.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/train.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using nlohmann::json;

struct Case {
  Head head;
  const char* folder;
  std::vector<std::string> labels;

  std::filesystem::path path() const { return std::filesystem::path(PORTATUNE_TEST_DATA) / folder; }
  json expected() const { return json::parse(std::ifstream(path() / "expected.json")); }
};

class Export : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Heads, Export,
    ::testing::Values(Case{Head::kSoftmax, "export_softmax", {"bad", "good"}},
                      Case{Head::kSigmoid, "export_sigmoid", {"0", "1"}},
                      Case{Head::kMultiLabel, "export_multi_label", {"bad", "book", "good", "music"}}),
    [](const auto& info) { return std::string(info.param.folder).substr(7); });

json shapes_in(const std::filesystem::path& weights) {
  json shapes;
  const io::SafetensorsFile file = io::SafetensorsFile::open(weights);
  for (const io::SafetensorsEntry& tensor : file.entries()) {
    EXPECT_EQ(tensor.type.dtype, DType::kFloat32) << tensor.name;
    shapes[tensor.name] = std::vector<int64_t>(tensor.type.shape.begin(), tensor.type.shape.end());
  }
  return shapes;
}

// Saves a new model in place of reading the committed one, so that the test sees the files of the current save().
TEST_P(Export, HasConfigAndWeightsOfTheClassInTransformers) {
  const Case& c = GetParam();
  const TextClassification task(kTinyBert, {.max_length = 12, .head = c.head, .labels = c.labels});
  const Device device({.cache_folder = program_cache()});
  Trainer trainer(device, task, {.learning_rate = 0.01});
  const data::Dataset rows =
      data::from_examples({sentence("a good film", c.labels.back()), sentence("a bad film", c.labels.front())});
  trainer.fit(task.batches(rows, 2), {.num_train_epochs = 2});
  const TemporaryFolder folder;
  trainer.save(folder / "model");

  const json expected = c.expected();
  EXPECT_EQ(json::parse(text_of(folder / "model" / "config.json")), expected["config"]);
  EXPECT_EQ(shapes_in(folder / "model" / "model.safetensors"), expected["tensors"]);
  for (const char* file : {"tokenizer.json", "tokenizer_config.json", "vocab.txt"}) {
    EXPECT_EQ(text_of(folder / "model" / file), text_of(kTinyBert / file)) << file;
  }
}

TEST_P(Export, GivesTheLogitsThatTransformersGives) {
  const Case& c = GetParam();
  const json expected = c.expected();
  const TextClassification task(c.path(), {.max_length = expected["max_length"]});
  const Device device({.cache_folder = program_cache()});
  Trainer trainer(device, task, {});
  std::vector<data::Example> rows;
  for (const std::string text : expected["texts"]) rows.push_back(sentence(text, ""));

  std::vector<std::vector<float>> found;
  trainer.predict(task.batches(data::from_examples(rows), 4, TextClassification::Labels::kIgnored),
                  [&](const data::Example& batch, const data::Example& outputs) {
                    for (const auto& prediction : task.predictions(batch, outputs)) found.push_back(prediction.logits);
                  });
  ASSERT_EQ(found.size(), expected["logits"].size());
  for (size_t row = 0; row < found.size(); ++row) {
    const std::vector<float> wanted = expected["logits"][row];
    // Both compute in float32: the difference is a few roundings of numbers of about 2.
    EXPECT_THAT(found[row], ::testing::Pointwise(::testing::FloatNear(1e-5f), wanted)) << expected["texts"][row];
  }
  EXPECT_TRUE(trainer.load_report().missing.empty());
  EXPECT_TRUE(trainer.load_report().unexpected.empty());
}

TEST(ExportOfSeveralLabels, HasTheLossOfTransformers) {
  const Case c{Head::kMultiLabel, "export_multi_label", {}};
  const json expected = c.expected();
  const TextClassification task(c.path(), {.max_length = expected["max_length"]});
  EXPECT_EQ(task.head(), Head::kMultiLabel);
  std::vector<data::Example> rows;
  for (size_t i = 0; i < expected["texts"].size(); ++i) {
    rows.push_back(sentence(expected["texts"][i], expected["row_labels"][i].dump()));
  }
  const Device device({.cache_folder = program_cache()});
  Trainer trainer(device, task, {});
  const Scores scores = trainer.evaluate(task.batches(data::from_examples(rows), 4));
  EXPECT_EQ(scores.at(0).first, "loss");
  EXPECT_NEAR(scores.at(0).second, expected["loss"].get<double>(), 1e-5);
}

}  // namespace
}  // namespace portatune::test
