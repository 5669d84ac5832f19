// The task against the original models: tests/data/coltran, made by tests/oracle/models/make_coltran_cases.py.
#include "portatune/tasks/colorization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/http_server.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/media/image/encode_png.h"
#include "tasks/forward.h"

namespace portatune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

const fs::path kModels = fs::path(PORTATUNE_TEST_DATA) / "coltran";
constexpr auto kLearned = RowTask::Labels::kRequired, kPredicted = RowTask::Labels::kIgnored;

Tensor of_original(const std::string& model, const std::string& name) {
  const auto file = io::SafetensorsFile::open(kModels / model / "expected.safetensors");
  const auto view = file.find(name);
  if (!view) throw std::runtime_error("no tensor " + name);
  Tensor tensor(view->type);
  std::copy_n(view->data, view->type.bytes(), tensor.data());
  return tensor;
}

class ColorizationTask : public testing::Test {
 protected:
  // The images of a case as files of 4 x 4 pixels, and the rows that name them.
  std::vector<data::Example> rows(const std::string& model) const {
    const Tensor images = of_original(model, "images");
    std::vector<data::Example> rows;
    for (size_t i = 0; i < 2; ++i) {
      image::Image picture({4, 4});
      const auto pixels = images.as<int32_t>().subspan(i * 48, 48);
      std::ranges::transform(pixels, picture.bytes().begin(), [](int32_t v) { return static_cast<uint8_t>(v); });
      const std::string file = (folder_ / (std::to_string(i) + ".png")).string();
      write_text(file, image::encode_png(picture));
      rows.push_back(data::Example().set("image", file));
    }
    return rows;
  }
  static data::Example batch(const RowTask& task, const std::vector<data::Example>& rows,
                             RowTask::Labels labels = kLearned) {
    return *task.batches(data::from_examples(rows), 2, labels).iterate().next();
  }
  // The pictures that a model predicts for images, in a folder of their own unless the options name one.
  std::vector<std::vector<uint8_t>> predicted(const std::string& model, ColorizationOptions options,
                                              const std::vector<data::Example>& rows) const {
    const TemporaryFolder colored;
    if (options.colored_images.empty()) options.colored_images = colored.path();
    const auto t = colorization(kModels / model, options);
    const data::Example b = batch(*t, rows, kPredicted);
    std::istringstream lines(t->prediction_lines()->take(b, test::compute(*t, b).outputs));
    std::vector<std::vector<uint8_t>> pictures;
    for (std::string line; std::getline(lines, line);) {
      const image::Image picture = image::read(json::parse(line)["colored"].get<std::string>());
      pictures.emplace_back(picture.bytes().begin(), picture.bytes().end());
    }
    return pictures;
  }

  TemporaryFolder folder_;
};

TEST_F(ColorizationTask, HasTheArraysAndLossesOfTheOriginal) {
  for (const std::string model : {"colorizer", "color_upsampler"}) {
    SCOPED_TRACE(model);
    const auto t = colorization(kModels / model, {});
    const data::Example b = batch(*t, rows(model));
    std::vector<std::string> names = {"gray", "colors"};
    if (model == "color_upsampler") names.push_back("channels");
    for (const std::string& name : names) {
      EXPECT_THAT(b.tensor(name).as<int32_t>(), ElementsAreArray(of_original(model, name).as<int32_t>())) << name;
      EXPECT_EQ(b.tensor(name).shape(), of_original(model, name).shape()) << name;
    }
    const test::Computed found = test::compute(*t, b);
    const double bits = of_original(model, "loss").as<float>()[0];
    const auto metrics = t->metrics();
    metrics->update(b, found.outputs);
    const Scores scores = metrics->result();
    EXPECT_NEAR(scores[0].second, bits, 1e-5);
    if (model == "colorizer") {
      const double parallel = of_original(model, "parallel_loss").as<float>()[0];
      EXPECT_NEAR(found.loss_sum / found.weight_sum, 0.99 * bits + 0.01 * parallel, 1e-5);
      EXPECT_EQ(scores[0].first, "bits_per_pixel");
      EXPECT_EQ(scores[1].first, "parallel_bits_per_pixel");
      EXPECT_NEAR(scores[1].second, parallel, 1e-5);
    } else {
      EXPECT_NEAR(found.loss_sum / found.weight_sum, bits, 1e-5);
      EXPECT_EQ(scores.size(), 1U);
      EXPECT_EQ(scores[0].first, "bits_per_channel");
    }
  }
}

// The spatial upsampler reads a picture that was small before.
TEST_F(ColorizationTask, SpatialUpsamplersReadSmallPictures) {
  fs::copy(kModels / "spatial_upsampler", folder_ / "model");
  json config = json::parse(text_of(folder_ / "model" / "config.json"));
  config["downsample_res"] = 2;
  write_text(folder_ / "model" / "config.json", config.dump());
  const auto t = colorization(folder_ / "model", {});
  const data::Example b = batch(*t, rows("spatial_upsampler"));
  const auto channels = b.tensor("channels").as<int32_t>(), colors = b.tensor("colors").as<int32_t>();
  EXPECT_THAT(colors, ElementsAreArray(of_original("spatial_upsampler", "colors").as<int32_t>()));
  for (size_t i = 0; i < channels.size(); i += 16) {  // each channel of 4 x 4
    const size_t channel = i / 16 % 3;
    const double mean = (colors[i] + colors[i + 1] + colors[i + 4] + colors[i + 5]) / 4.0;
    EXPECT_EQ(channels[i], std::nearbyint(mean) + 256.0 * static_cast<double>(channel));
    EXPECT_EQ(channels[i + 5], channels[i]);
  }
}

TEST_F(ColorizationTask, TrainsUpsamplersOnOneChannel) {
  const auto t = colorization(kModels / "color_upsampler", {});
  const auto all = rows("color_upsampler");
  const Tensor channels = of_original("color_upsampler", "channels");
  std::set<int32_t> chosen;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const auto batches = t->training_batches(data::from_examples({all[0]}), 1, {.buffer = 1, .seed = seed});
    const data::Example b = *batches.iterate().next();
    EXPECT_EQ(b.tensor("channels").shape(), (Shape{1, 1, 4, 4}));
    EXPECT_EQ(b.tensor("colors").shape(), (Shape{1, 1, 4, 4}));
    const auto found = b.tensor("channels").as<int32_t>();
    const int32_t channel = found[0] / 8;
    EXPECT_THAT(found, ElementsAreArray(channels.as<int32_t>().subspan(static_cast<size_t>(channel) * 16, 16)));
    chosen.insert(channel);
    const test::Computed computed = test::compute(*t, b);
    EXPECT_GT(computed.loss_sum, 0);
  }
  EXPECT_THAT(chosen, ElementsAre(0, 1, 2));
}

TEST_F(ColorizationTask, ColorsBySeedOrByTheMostProbable) {
  const auto images = rows("colorizer");
  const auto probable = predicted("colorizer", {}, images);
  ASSERT_EQ(probable.size(), 2U);
  EXPECT_EQ(predicted("colorizer", {}, images), probable);
  const auto drawn = predicted("colorizer", {.color_seed = 1}, images);
  EXPECT_EQ(predicted("colorizer", {.color_seed = 1}, images), drawn);
  EXPECT_NE(predicted("colorizer", {.color_seed = 2}, images), drawn);
  EXPECT_NE(drawn, probable);
  // The colours of an image do not depend on its index in a batch.
  EXPECT_EQ(predicted("colorizer", {.color_seed = 1}, {images[1], images[0]})[0], drawn[1]);
}

TEST_F(ColorizationTask, UpsamplersReadThePicturesOfTheModelBefore) {
  const auto images = rows("color_upsampler");
  const auto of_itself = predicted("color_upsampler", {}, images);
  std::vector<data::Example> given = images;
  given[0].set("colored", images[0].text("image"));  // its own colours, of which the model reads three bits
  given[1].set("colored", images[0].text("image"));
  const auto of_others = predicted("color_upsampler", {.colored_column = "colored"}, given);
  EXPECT_EQ(of_others[0], of_itself[0]);
  EXPECT_NE(of_others[1], of_itself[1]);
  EXPECT_THAT(colorization(kModels / "color_upsampler", {.colored_column = "colored"})->columns(kPredicted),
              ElementsAre("image", "colored"));

  // The image of a URL is downloaded before the row is read.
  const HttpServer server(
      [&](const HttpRequest& request) { return ranged(request, text_of(images[1].text("image")), "\"1\""); });
  std::vector<data::Example> by_url = given;
  by_url[1].set("image", server.url("/1.png"));
  by_url[0] = by_url[1];  // the first row decides whether a stage downloads
  EXPECT_EQ(predicted("color_upsampler", {.colored_column = "colored"}, by_url)[1], of_others[1]);

  write_text(folder_ / "large.png", image::encode_png(image::Image({5, 5})));
  given[1].set("colored", (folder_ / "large.png").string());
  EXPECT_THAT(message_of<DataError>([&] { predicted("color_upsampler", {.colored_column = "colored"}, given); }),
              testing::AllOf(HasSubstr("large.png"), HasSubstr("4 x 4 pixels")));
}

TEST_F(ColorizationTask, NumbersPicturesOfOneName) {
  const auto images = rows("colorizer");
  fs::create_directory(folder_ / "other");
  fs::copy_file(folder_ / "0.png", folder_ / "other" / "0.png");
  const std::vector<data::Example> same = {images[0],
                                           data::Example().set("image", (folder_ / "other" / "0.png").string())};
  predicted("colorizer", {.colored_images = folder_ / "colored"}, same);
  EXPECT_TRUE(fs::exists(folder_ / "colored" / "0.png"));
  EXPECT_TRUE(fs::exists(folder_ / "colored" / "0-2.png"));
}

TEST_F(ColorizationTask, NamesPicturesOfImagesInRowsByTheirRows) {
  const auto file = std::make_shared<const std::string>("/data/train.tfrecord");
  std::vector<data::Example> in_rows;
  for (const data::Example& row : rows("colorizer")) {
    const int64_t number = 17 + std::ssize(in_rows);
    in_rows.push_back(
        data::Example(data::Origin{.file = file, .row = number}).set("image", text_of(row.text("image"))));
  }
  predicted("colorizer", {.colored_images = folder_ / "colored"}, in_rows);
  EXPECT_TRUE(fs::exists(folder_ / "colored" / "train-tfrecord-17.png"));
  EXPECT_TRUE(fs::exists(folder_ / "colored" / "train-tfrecord-18.png"));
}

TEST_F(ColorizationTask, KeepsExistingFiles) {
  const auto images = rows("colorizer");
  const std::string before = text_of(folder_ / "0.png");
  EXPECT_THAT(message_of<UsageError>([&] { predicted("colorizer", {.colored_images = folder_.path()}, images); }),
              testing::AllOf(HasSubstr("colored_images"), HasSubstr((folder_ / "0.png").string() + ", which exists")));
  EXPECT_EQ(text_of(folder_ / "0.png"), before);
}

TEST_F(ColorizationTask, SavesTheModelAsItWasRead) {
  const TemporaryFolder saved;
  colorization(kModels / "colorizer", {})->save(saved.path());
  EXPECT_EQ(json::parse(text_of(saved / "config.json")), json::parse(text_of(kModels / "colorizer" / "config.json")));
}

TEST_F(ColorizationTask, RefusesOptionsThatDoNotFit) {
  EXPECT_THAT(message_of<UsageError>([] { colorization(kModels / "color_upsampler", {.color_seed = 1}); }),
              HasSubstr("ColTranColorUpsampler"));
  EXPECT_THAT(message_of<UsageError>([] { colorization(kModels / "colorizer", {})->prediction_lines(); }),
              HasSubstr("--colored-images"));
}

}  // namespace
}  // namespace portatune
