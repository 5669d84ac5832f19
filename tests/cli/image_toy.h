// A task of images that a tiny model learns in seconds.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cli/toy.h"
#include "media/image/write_png.h"

namespace portatune::cli {

/// A folder with a model of images of 12 x 12, and pictures in three colours that it can distinguish.
class ImageToy {
 public:
  ImageToy() { copy_model("vit_softmax", "vit.json"); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// A model of tests/data/models with an image processor.
  void copy_model(const std::string& name, const std::string& processor) const {
    std::filesystem::remove_all(folder_ / "model");
    std::filesystem::create_directory(folder_ / "model");
    for (const std::string file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy_file(std::filesystem::path(PORTATUNE_TEST_DATA) / "models" / name / file,
                                 folder_ / "model" / file);
    }
    nlohmann::json config = nlohmann::json::parse(
        std::ifstream(std::filesystem::path(PORTATUNE_TEST_DATA) / "image" / "processors" / processor));
    config["size"] = {{"height", 12}, {"width", 12}};
    config["do_center_crop"] = false;
    write(folder_ / "model" / "preprocessor_config.json", config.dump());
  }

  /// DIR/CLASS/NUMBER.png, `count` of each class.
  void add_pictures(const std::string& dir, int count) const {
    const std::map<std::string, std::array<uint8_t, 3>> colours = {
        {"blue", {20, 20, 200}}, {"green", {20, 200, 20}}, {"red", {200, 20, 20}}};
    for (const auto& [name, colour] : colours) {
      std::filesystem::create_directories(folder_ / dir / name);
      for (int i = 0; i < count; ++i) {
        image::write_png(folder_ / dir / name / (std::to_string(i) + ".png"),
                         image::plain_picture({16 + i % 3, 20 - i % 4}, colour, i));
      }
    }
  }

  Words fit(const std::string& train, const Words& more = {}) const {
    return Words{"fit",      "--task",      "image-classification", "--model", file("model"),     "--train", train,
                 "--output", file("tuned"), "--batch-size",         "16",      "--learning-rate", "1e-2",    "--json"} +
           more;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace portatune::cli
