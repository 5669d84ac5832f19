#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/program.h"
#include "cli/toy.h"
#include "media/image/write_png.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Models of pictures of 4 x 4, and eight pictures.
class ColorizationCommand : public testing::Test {
 protected:
  ColorizationCommand() {
    fs::create_directory(folder_ / "photos");
    for (int i = 0; i < 8; ++i) {
      image::write_png(folder_ / "photos" / (std::to_string(i) + ".png"),
                       image::plain_picture({6, 5 + i % 3}, {200, 20, 60}, i));
    }
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  // Trains a model from random weights, and returns the scores.
  // rows  of a batch on each device
  json trained(const std::string& model, const Words& more = {}, const std::string& rows = "4") const {
    const std::string config = (fs::path(PORTATUNE_TEST_DATA) / "coltran" / model).string();
    const Finished run =
        portatune(Words{"fit", "--task", "colorization", "--model", config, "--from-config", "--train", file("photos"),
                        "--validation", file("photos"), "--output", file(model), "--batch-size", rows, "--json"} +
                  more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }
  Finished predict(const std::string& model, const std::string& data, const std::string& pictures,
                   const Words& more = {}) const {
    return portatune(Words{"predict", "--model", file(model), "--data", file(data), "--colored-images", file(pictures),
                           "--output", file(model + ".jsonl")} +
                     more);
  }
  // Predicts into the folder MODEL-pictures.
  std::vector<json> predicted(const std::string& model, const std::string& data, const Words& more = {}) const {
    const Finished run = predict(model, data, model + "-pictures", more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json_lines(read(file(model + ".jsonl")));
  }

  TemporaryFolder folder_;
};

TEST_F(ColorizationCommand, LearnsMeasuresAndColors) {
  const json scores = trained("colorizer", {"--epochs", "20", "--learning-rate", "1e-2"});
  const json &before = scores["before"], &after = scores["after"];
  EXPECT_LT(after["bits_per_pixel"], 0.8 * before["bits_per_pixel"].get<double>());
  const Finished evaluate = portatune({"evaluate", "--model", file("colorizer"), "--data", file("photos"), "--json"});
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_NEAR(json::parse(evaluate.out)["bits_per_pixel"], after["bits_per_pixel"].get<double>(), 1e-5);
  const std::vector<json> lines = predicted("colorizer", "photos", {"--color-seed", "1"});
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[3]["image"], file("photos/3.png"));
  EXPECT_EQ(lines[3]["colored"], file("colorizer-pictures/3.png"));
  const std::string drawn = read(file("colorizer-pictures/3.png"));
  const Finished other = predict("colorizer", "photos", "other-pictures", {"--color-seed", "2"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(read(file("other-pictures/3.png")), drawn);
}

TEST_F(ColorizationCommand, KeepsExistingPictures) {
  trained("colorizer", {"--epochs", "1"});
  const std::string photo = read(file("photos/0.png"));
  const Finished run = predict("colorizer", "photos", "photos");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, testing::HasSubstr(file("photos/0.png") + ", which exists"));
  EXPECT_EQ(read(file("photos/0.png")), photo);
}

TEST_F(ColorizationCommand, RefusesFoldsBeforeTraining) {
  const std::string config = (fs::path(PORTATUNE_TEST_DATA) / "coltran" / "colorizer").string();
  const Finished run = portatune({"fit", "--task", "colorization", "--model", config, "--from-config", "--train",
                                  file("photos"), "--folds", "2", "--output", file("folds")});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, testing::HasSubstr("measures and predicts rows in one pass"));
  EXPECT_FALSE(fs::exists(folder_ / "folds" / "fold-1"));
}

TEST_F(ColorizationCommand, UpsamplersFollowEachOther) {
  for (const std::string model : {"colorizer", "color_upsampler", "spatial_upsampler"})
    trained(model, {"--epochs", "1"});
  predicted("colorizer", "photos");
  predicted("color_upsampler", "colorizer.jsonl", {"--colored-column", "colored"});
  const auto lines = predicted("spatial_upsampler", "color_upsampler.jsonl", {"--colored-column", "colored"});
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[2]["image"], file("photos/2.png"));
  EXPECT_TRUE(fs::exists(lines[2]["colored"].get<std::string>()));
}

// Rectangles on black, with one of four patterns of dark and bright pixels. The pattern decides the colour of the
// bright pixels, whose grey is the same for all of them.
class PatternedPictures {
 public:
  static constexpr int kSide = 8;
  static constexpr uint8_t kColours[][3] = {{230, 60, 54}, {62, 145, 60}, {90, 110, 166}, {140, 100, 88}};

  void write(const std::string& folder, int count) {
    fs::create_directory(folder);
    for (int i = 0; i < count; ++i) image::write_png(fs::path(folder) / (std::to_string(i) + ".png"), picture(i % 4));
  }
  // The entropy in bits of the colour of a pixel of all pictures, and that of its colour if its grey is known.
  double entropy() const {
    const double dark = (pixels_ - 4 * bright_) / pixels_, bright = bright_ / pixels_;
    return -dark * std::log2(dark) - 4 * bright * std::log2(bright);
  }
  double entropy_of_bright() const { return 2 * 4 * bright_ / pixels_; }

 private:
  image::Image picture(int pattern) {
    const auto any = [this](int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); };
    image::Image picture({kSide, kSide});
    std::ranges::fill(picture.bytes(), uint8_t{0});
    const int height = 5 + any(4), width = 5 + any(4), top = any(kSide - height + 1), left = any(kSide - width + 1);
    const int phase = any(4);
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) {
        const int by_pattern[] = {y, x, x + y, 2 * (x / 2 + y / 2)};
        if ((by_pattern[pattern] + phase) / 2 % 2 == 0) continue;
        std::ranges::copy(kColours[pattern], picture.row(y) + 3 * x);
        bright_ += 0.25;
      }
    }
    pixels_ += kSide * kSide;
    return picture;
  }

  std::mt19937_64 random_{1};
  double pixels_ = 0, bright_ = 0;  // bright_: of each colour, on average
};

TEST_F(ColorizationCommand, LearnsColoursOfPatterns) {
  PatternedPictures training, held_out;
  training.write(file("patterns"), 128);
  held_out.write(file("held-out"), 32);
  fs::create_directory(file("small"));
  write(file("small/config.json"), R"({"model_type": "coltran", "architectures": ["ColTranColorizer"],
      "hidden_size": 32, "ff_size": 32, "num_heads": 2, "num_encoder_layers": 1, "num_outer_layers": 1,
      "num_inner_layers": 1, "downsample_res": 8, "resolution": [8, 8]})");
  const Finished run =
      portatune({"fit", "--model", file("small"), "--from-config", "--train", file("patterns"), "--validation",
                 file("held-out"), "--epochs", "30", "--batch-size", "16", "--learning-rate", "5e-3", "--optim",
                 "rmsprop", "--output", file("tuned"), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const double bits = json::parse(run.out)["after"]["bits_per_pixel"];
  EXPECT_LT(bits, 0.8 * held_out.entropy());
  EXPECT_LT(bits, 0.5 * held_out.entropy_of_bright());  // by the patterns, not by the greys alone
}

// A step of one device in one part has the same loss, but for the rounding of bfloat16.
TEST_F(ColorizationCommand, TrainsOnMeshesInPartsAndInOtherTypes) {
  const auto bits = [&](const Words& more, const std::string& rows = "4") {
    const json scores =
        trained("colorizer", Words{"--epochs", "4", "--learning-rate", "1e-2", "--overwrite-output"} + more, rows);
    EXPECT_LT(scores["after"]["bits_per_pixel"], scores["before"]["bits_per_pixel"]);
    return scores["after"]["bits_per_pixel"].get<double>();
  };
  const double wanted = bits({});
  EXPECT_NEAR(bits({"--mesh", "data=2"}, "2"), wanted, 1e-3);
  EXPECT_NEAR(bits({"--mesh", "fsdp=2"}, "2"), wanted, 1e-3);
  EXPECT_NEAR(bits({"--gradient-accumulation-steps", "2"}, "2"), wanted, 1e-3);
  EXPECT_EQ(bits({"--remat", "layers"}), wanted);
  EXPECT_NEAR(bits({"--dtype", "bfloat16"}), wanted, 0.1);
}

TEST_F(ColorizationCommand, RefusesToDivideLayers) {
  const std::string config = (fs::path(PORTATUNE_TEST_DATA) / "coltran" / "colorizer").string();
  const Finished run = portatune({"fit", "--model", config, "--from-config", "--train", file("photos"), "--mesh",
                                  "tensor=2", "--batch-size", "4", "--output", file("divided")});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, testing::HasSubstr("ColTran, whose layers are not divided"));
}

TEST_F(ColorizationCommand, LearnsByAdapters) {
  trained("colorizer", {"--epochs", "2"});
  const Finished fit =
      portatune({"fit", "--model", file("colorizer"), "--adapter", "lora", "--train", file("photos"), "--validation",
                 file("photos"), "--output", file("adapter"), "--epochs", "10", "--learning-rate", "5e-2", "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json scores = json::parse(fit.out);
  EXPECT_LT(scores["after"]["bits_per_pixel"], scores["before"]["bits_per_pixel"].get<double>() - 0.1);
  EXPECT_EQ(json::parse(read(file("adapter/adapter_config.json")))["target_modules"], json::array({"q", "v"}));
  const Finished evaluate = portatune({"evaluate", "--model", file("adapter"), "--data", file("photos"), "--json"});
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_NEAR(json::parse(evaluate.out)["bits_per_pixel"], scores["after"]["bits_per_pixel"].get<double>(), 1e-5);
  ASSERT_EQ(portatune({"merge", "--model", file("adapter"), "--output", file("merged")}).exit_code, 0);
  const Finished merged = portatune({"evaluate", "--model", file("merged"), "--data", file("photos"), "--json"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_NEAR(json::parse(merged.out)["bits_per_pixel"], scores["after"]["bits_per_pixel"].get<double>(), 1e-4);
}

// The task is that of the model's class; options of predictions are refused.
TEST_F(ColorizationCommand, FindsTheTaskOfTheModel) {
  const std::string config = (fs::path(PORTATUNE_TEST_DATA) / "coltran" / "colorizer").string();
  const Words words = {"fit",         "--model", config,     "--from-config", "--train", file("photos"),
                       "--max-steps", "1",       "--output", file("found"),   "--json"};
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(read(file("found/training_args.json")))["options"]["task"], "colorization");
  for (const std::string option : {"--colored-images", "--color-seed", "--return-timestamps", "--top-k"}) {
    const Finished refused = portatune(words + Words{option + "=1"});
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, testing::HasSubstr(option + " is an option of portatune predict"));
  }
}

}  // namespace
}  // namespace portatune::cli
