#include "portune/train/checkpoint.h"

#include <cstring>

#include "portune/error.h"
#include "portune/io/file.h"
#include "portune/io/json.h"
#include "portune/io/safetensors.h"

namespace portune::train {
namespace {

constexpr const char* kMomentsFile = "optimizer.safetensors";
constexpr const char* kStateFile = "trainer_state.json";
constexpr int64_t kFormat = 1;

Tensor moment(const io::SafetensorsFile& file, const std::string& name, const TensorType& type) {
  const std::optional<TensorView> found = file.find(name);
  if (!found || found->type != type) {
    throw CheckpointError({.where = file.path().string() + ", tensor " + name,
                           .given = found ? to_string(found->type) : "no such tensor",
                           .expected = to_string(type) + ", as the model's parameter"});
  }
  Tensor tensor(type);
  std::memcpy(tensor.data(), found->data, static_cast<size_t>(type.bytes()));
  return tensor;
}

}  // namespace

void write_state(const std::filesystem::path& folder, std::span<const NamedTensorView> moments, int64_t step) {
  io::write_safetensors(folder / kMomentsFile, moments);
  io::write_file(folder / kStateFile, "{\n  \"format\": " + std::to_string(kFormat) +
                                          ",\n  \"global_step\": " + std::to_string(step) + "\n}\n");
}

int64_t read_step(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / kStateFile)) {
    throw NotFoundError({.where = folder.string(),
                         .given = std::string("no ") + kStateFile,
                         .expected = "a checkpoint of an interrupted run"});
  }
  const io::JsonObject state = io::JsonObject::read(folder / kStateFile);
  state.get_int("format", {kFormat, kFormat});
  return state.get_int("global_step", {0, int64_t{1} << 53});
}

SavedState read_state(const std::filesystem::path& folder, std::span<const std::string> parameters,
                      std::span<const TensorType> types) {
  SavedState state{.m = {}, .v = {}, .step = read_step(folder)};
  const io::SafetensorsFile file = io::SafetensorsFile::open(folder / kMomentsFile);
  for (size_t i = 0; i < parameters.size(); ++i) {
    state.m.push_back(moment(file, "m." + parameters[i], types[i]));
    state.v.push_back(moment(file, "v." + parameters[i], types[i]));
  }
  return state;
}

}  // namespace portune::train
