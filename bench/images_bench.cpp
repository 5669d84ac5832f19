// Converts JPEGs to normalised pixels and prints the time. Used by bench/images.py.
//   portatune_images_bench FOLDER PASSES exact|reduced
// FOLDER: preprocessor_config.json and *.jpg, which are read before the time begins. Prints the CPU seconds of the
// fastest pass over all images, and writes the pixels of the last image to FOLDER/portatune-MODE.pixels.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "clocks.h"
#include "portatune/media.h"

namespace {

using namespace portatune;

std::vector<std::string> read_images(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> images;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    images.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return images;
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  const std::string mode = arguments[3];
  const image::Processor processor(image::ProcessorConfig::read(folder / "preprocessor_config.json", "vit"));
  image::DecodeOptions options;
  if (mode == "reduced") options.at_least = [&](image::Size whole) { return processor.resized_size(whole); };
  const std::vector<std::string> images = read_images(folder);

  double best_s = 1e9;
  Tensor pixels;
  for (int pass = 0; pass < std::stoi(arguments[2]); ++pass) {
    const double start = cpu_seconds();
    for (const std::string& file : images) {
      pixels = processor(image::decode(std::as_bytes(std::span(file)), "image", options).view());
    }
    best_s = std::min(best_s, cpu_seconds() - start);
  }
  std::printf("%.6f\n", best_s);
  std::ofstream(folder / ("portatune-" + mode + ".pixels"), std::ios::binary)
      .write(reinterpret_cast<const char*>(pixels.data()), pixels.type().bytes());
}
