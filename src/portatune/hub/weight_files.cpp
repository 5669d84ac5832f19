#include "portatune/hub/weight_files.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "portatune/error.h"
#include "portatune/io/safetensors/tensor_files.h"

namespace portatune::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStem = "model";

bool is_pickle(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kSuffixes = {".bin", ".pt", ".pth", ".ckpt"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), path.extension().string()) != kSuffixes.end();
}

std::string conversion_advice(const fs::path& folder, const std::string& architecture) {
  const std::string model = architecture.empty() ? "AutoModel" : architecture;
  const std::string path = folder.string();
  return "convert once, in Python, a model that you trust:\n"
         "              from transformers import " +
         model +
         "\n"
         "              " +
         model + ".from_pretrained('" + path + "').save_pretrained('" + path + "')";
}

[[noreturn]] void throw_no_weights(const fs::path& folder, const std::string& architecture) {
  std::set<std::string> foreign;
  bool has_pytorch_weights = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (!is_pickle(path) && path.extension() != ".h5" && path.extension() != ".msgpack") continue;
    foreign.insert(path.filename().string());
    has_pytorch_weights |= path.filename().string().starts_with("pytorch_model");
  }
  const std::string expected = io::tensor_file(kStem) + " or " + io::tensor_index_file(kStem);
  if (foreign.empty()) {
    throw CheckpointError({.where = folder.string(), .given = "no weights", .expected = expected});
  }
  throw CheckpointError({.where = folder.string(),
                         .given = "weights as " + *foreign.begin() + " only",
                         .expected = expected + "; Python pickles can run any code and are never read; neither is HDF5",
                         .fix = has_pytorch_weights ? conversion_advice(folder, architecture) : ""});
}

}  // namespace

std::vector<io::SafetensorsFile> open_weight_files(const fs::path& folder, const std::string& architecture) {
  std::vector<io::SafetensorsFile> files = io::open_tensor_files(folder, kStem);
  if (files.empty()) throw_no_weights(folder, architecture);
  return files;
}

}  // namespace portatune::hub
