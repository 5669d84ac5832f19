#include "portatune/tasks/image_classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kData = PORTATUNE_TEST_DATA;
const fs::path kPictures = kData / "image" / "decode";

// A model of images of 12 x 12 with the classes LABEL_0, LABEL_1 and LABEL_2.
class ImageClassificationTask : public testing::Test {
 protected:
  ImageClassificationTask() {
    for (const std::string file : {"config.json", "model.safetensors"}) {
      fs::copy_file(kData / "models" / "vit_softmax" / file, folder_ / file);
    }
    write_text(folder_ / "preprocessor_config.json", R"({"size": 12})");
  }

  ImageClassification task(ImageClassificationOptions options = {}) const {
    return ImageClassification(folder_.path(), std::move(options));
  }
  static data::Example row(const std::string& picture, const std::string& label) {
    data::Example row;
    return row.set("image", (kPictures / picture).string()).set("label", label);
  }

  TemporaryFolder folder_;
};

std::span<const float> pixels_of(const data::Example& example) { return example.tensor("pixel_values").as<float>(); }

TEST_F(ImageClassificationTask, EncodesAFileWithTheProcessor) {
  const data::Example example = task().encode(row("420.jpg", "2"));
  const image::Processor processor({.size = {12, 12}});
  EXPECT_TRUE(std::ranges::equal(pixels_of(example), processor(image::read(kPictures / "420.jpg").view()).as<float>()));
  EXPECT_EQ(example.tensor("pixel_values").shape(), (Shape{3, 12, 12}));
  EXPECT_EQ(example.tensor("labels").as<int32_t>()[0], 2);
  EXPECT_EQ(example.text("image"), (kPictures / "420.jpg").string());
}

TEST_F(ImageClassificationTask, KeepsTheOrderOfTheCheckpoint) {
  EXPECT_THAT(task({.labels = {"LABEL_2", "LABEL_0", "LABEL_1"}}).labels(),
              ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
  EXPECT_THAT(task({.labels = {"cat", "dog"}}).labels(), ElementsAre("cat", "dog"));
  EXPECT_THROW(task({.labels = {"cat"}}), UsageError);
}

TEST_F(ImageClassificationTask, RefusesLabelsOfOtherClasses) {
  const std::string message = message_of<DataError>([&] { task().encode(row("420.jpg", "cat")); });
  EXPECT_THAT(message, HasSubstr("LABEL_0, LABEL_1, LABEL_2"));
  EXPECT_NO_THROW(task().encode(row("420.jpg", "cat"), RowTask::Labels::kIgnored));
}

TEST_F(ImageClassificationTask, AugmentsByEpochAndIndex) {
  const ImageClassification task = this->task();
  const data::Dataset rows = data::from_examples({row("420.jpg", "0"), row("420.jpg", "1")});
  const auto pass = [&](uint64_t seed, int64_t epoch) {
    const auto batch = task.training_batches(rows, 2, {.buffer = 2, .seed = seed}).iterate(epoch).next();
    // Images are found by their label, as the order is random.
    std::map<int32_t, std::vector<float>> images;
    for (size_t i = 0; i < 2; ++i) {
      const auto pixels = pixels_of(*batch).subspan(i * 432, 432);
      images[batch->tensor("labels").as<int32_t>()[i]] = {pixels.begin(), pixels.end()};
    }
    return images;
  };
  EXPECT_EQ(pass(1, 0), pass(1, 0));
  EXPECT_NE(pass(1, 0)[0], pass(1, 0)[1]);
  EXPECT_NE(pass(1, 0)[0], pass(1, 1)[0]);
  EXPECT_NE(pass(1, 0)[0], pass(2, 0)[0]);
}

// The files of other processes are invalid images here, as they must not be opened. Order and augmentation are random.
TEST_F(ImageClassificationTask, ReadsOnlyFilesOfLocalRows) {
  std::vector<data::Example> list;
  for (int i = 0; i < 13; ++i) {
    const std::string copy = folder_ / (std::to_string(i) + ".png");
    fs::copy_file(kPictures / "rgb.png", copy);
    list.push_back(data::Example().set("image", copy).set("label", std::to_string(i % 3)));
  }
  const data::Dataset rows = data::from_examples(list);
  const auto batches_for = [&](const BatchShare& share, bool training) {
    ImageClassification task = this->task();
    task.set_batch_share(share);
    const data::Dataset batches =
        training ? task.training_batches(rows, 4, {.buffer = 5, .seed = 7}) : task.batches(rows, 4);
    std::vector<data::Example> all;
    for (data::Example& batch : batches.iterate(1)) all.push_back(std::move(batch));
    return all;
  };
  for (const bool training : {true, false}) {
    const std::vector<data::Example> whole = batches_for({}, training);
    ASSERT_EQ(whole.size(), 4);
    for (const data::Example& batch : whole) {
      for (size_t row = 0; row < 2; ++row) {
        if (const std::string& file = batch.texts("image")[row]; !file.empty()) write_text(file, "none");
      }
    }
    const std::vector<data::Example> second = batches_for({.parts = 2, .begin = 1, .end = 2}, training);
    ASSERT_EQ(second.size(), 4);
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(second[i].texts("image"), whole[i].texts("image"));
      EXPECT_TRUE(
          std::ranges::equal(second[i].tensor("labels").as<int32_t>(), whole[i].tensor("labels").as<int32_t>()));
      EXPECT_EQ(second[i].tensor("pixel_values").type(), whole[i].tensor("pixel_values").type());
      const auto found = pixels_of(second[i]), wanted = pixels_of(whole[i]);
      EXPECT_TRUE(std::ranges::equal(found.subspan(864), wanted.subspan(864)));
      EXPECT_TRUE(std::ranges::all_of(found.first(864), [](float pixel) { return pixel == 0; }));
    }
    EXPECT_THROW(batches_for({.parts = 2, .begin = 0, .end = 1}, training), DataError);
    for (const data::Example& row : list) {
      fs::copy_file(kPictures / "rgb.png", row.text("image"), fs::copy_options::overwrite_existing);
    }
  }
}

TEST_F(ImageClassificationTask, ReadsTablesRelativeToTheirFolder) {
  fs::copy_file(kPictures / "rgb.png", folder_ / "a.png");
  write_text(folder_ / "table.csv", "picture,class,other\na.png,cat,1\nb.png,dog,2\n");
  const data::Dataset rows = read_images({(folder_ / "table.csv").string()}, "picture", "class");
  std::vector<std::string> found;
  for (const data::Example& row : rows.iterate()) found.push_back(row.text("picture") + " " + row.text("class"));
  EXPECT_THAT(found, ElementsAre("a.png cat", "b.png dog"));
  const data::Example first = task({.image_column = "picture", .label_column = "class", .labels = {"cat", "dog"}})
                                  .encode(*rows.iterate().next());
  EXPECT_EQ(first.text("image"), "a.png");
  EXPECT_EQ(first.tensor("labels").as<int32_t>()[0], 0);
}

TEST_F(ImageClassificationTask, ReadsOneFolderOrTables) {
  EXPECT_THROW(read_images({kPictures.string(), kPictures.string()}, "image", ""), UsageError);
  EXPECT_FALSE(read_images({kPictures.string()}, "image", "").iterate().next()->has("label"));
}

// Six images of classes 0 to 5 of 6, and the logits 5, 4, 3, 2, 1, 0: right for class 0, among the five for all but 5.
TEST_F(ImageClassificationTask, MeasuresTheTopFive) {
  const ImageClassification task = this->task({.labels = {"a", "b", "c", "d", "e", "f"}});
  data::Example batch, outputs;
  std::vector<float> logits;
  for (int row = 0; row < 7; ++row) logits.insert(logits.end(), {5, 4, 3, 2, 1, 0});
  batch.set("labels", Tensor({7}, {0, 1, 2, 3, 4, 5, 0}))
      .set(data::kExampleWeight, Tensor({7}, {1.F, 1.F, 1.F, 1.F, 1.F, 1.F, 0.F}));
  outputs.set("logits", Tensor({7, 6}, std::span<const float>(logits)));
  const auto metrics = task.metrics();
  metrics->update(batch, outputs);
  const Scores scores = metrics->result();
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_EQ(scores[0].first, "accuracy");
  EXPECT_NEAR(scores[0].second, 1.0 / 6, 1e-12);
  EXPECT_EQ(scores.back().first, "top_5_accuracy");
  EXPECT_NEAR(scores.back().second, 5.0 / 6, 1e-12);
}

}  // namespace
}  // namespace portatune
