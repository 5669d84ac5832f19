#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "image/write_png.h"

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
  json trained(const std::string& model, const Words& more = {}) const {
    const std::string config = (fs::path(PORTATUNE_TEST_DATA) / "coltran" / model).string();
    const Finished run =
        portatune(Words{"fit", "--task", "colorization", "--model", config, "--from-config", "--train", file("photos"),
                        "--validation", file("photos"), "--output", file(model), "--batch-size", "4", "--json"} +
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

}  // namespace
}  // namespace portatune::cli
