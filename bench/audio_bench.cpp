// Converts audio files to the input of a model and prints the time. Used by bench/audio_input.py.
//   portatune_audio_bench FOLDER PASSES
// FOLDER: preprocessor_config.json and files.txt, the names of audio files, which are read before the time begins.
// Prints for each file the CPU milliseconds of its fastest pass, and writes the features of the last file to
// FOLDER/portatune.features.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "clocks.h"
#include "portatune/media.h"

namespace {

using namespace portatune;

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  const audio::Extractor extractor(audio::ExtractorConfig::read(folder / "preprocessor_config.json", ""));
  Tensor features;
  std::ifstream names(folder / "files.txt");
  for (std::string name; std::getline(names, name);) {
    std::ifstream stream(folder / name, std::ios::binary);
    const std::string file(std::istreambuf_iterator<char>(stream), {});
    double best_s = 1e9;
    for (int pass = 0; pass < std::stoi(arguments[2]); ++pass) {
      const double start = cpu_seconds();
      features = extractor(audio::decode(std::as_bytes(std::span(file)), name));
      best_s = std::min(best_s, cpu_seconds() - start);
    }
    std::printf("%.4f\n", 1e3 * best_s);
  }
  std::ofstream(folder / "portatune.features", std::ios::binary)
      .write(reinterpret_cast<const char*>(features.data()), features.type().bytes());
}
