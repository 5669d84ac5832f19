#include "portatune/analysis/parity/reference_case.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::parity {
namespace {

constexpr std::string_view kRows = ".__rows__";

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& file) {
  return folder / (file + ".safetensors");
}

std::string place_in(const std::filesystem::path& file, const std::string& name) {
  return file.string() + ", tensor " + name;
}

CheckpointError wrong_type(const std::string& place, const TensorType& type, const char* expected) {
  return CheckpointError({.where = place, .given = to_string(type), .expected = expected});
}

std::vector<int64_t> integers_in(const std::string& place, const TensorView& view) {
  const auto widened = [](const auto& values) { return std::vector<int64_t>(values.begin(), values.end()); };
  if (view.type.dtype == DType::kInt64) return widened(view.as<int64_t>());
  if (view.type.dtype == DType::kInt32) return widened(view.as<int32_t>());
  throw wrong_type(place, view.type, "int64 or int32");
}

Tensor to_int32(const std::string& place, const TensorView& view) {
  std::vector<int32_t> narrow;
  for (const int64_t value : integers_in(place, view)) {
    if (value < INT32_MIN || value > INT32_MAX) {
      throw CheckpointError({.where = place, .given = std::to_string(value), .expected = "integers of 32 bits"});
    }
    narrow.push_back(static_cast<int32_t>(value));
  }
  return Tensor(view.type.shape, std::span<const int32_t>(narrow));
}

Tensor to_float32(const std::string& place, const TensorView& view) {
  if (!is_float(view.type.dtype)) throw wrong_type(place, view.type, "a float type");
  return Tensor(view.type.shape, std::span<const float>(to_floats(view)));
}

data::Example read_inputs(const std::filesystem::path& folder) {
  data::Example inputs;
  const io::SafetensorsFile file = io::SafetensorsFile::open(file_of(folder, "inputs"));
  for (const io::SafetensorsEntry& entry : file.entries()) {
    const auto convert = is_float(entry.type.dtype) ? to_float32 : to_int32;
    inputs.set(entry.name, convert(place_in(file.path(), entry.name), file.view(entry)));
  }
  return inputs;
}

TensorView require_tensor(const io::SafetensorsFile& file, const std::string& name) {
  if (const std::optional<TensorView> view = file.find(name)) return *view;
  throw CheckpointError(
      {.where = file.path().string(), .given = "no tensor " + name, .expected = "a tensor of this name"});
}

}  // namespace

ReferenceCase::ReferenceCase(const std::filesystem::path& folder)
    : path_(folder),
      model_(hub::ModelFolder::open(folder)),
      facts_(io::JsonObject::read(folder / "case.json")),
      architecture_(facts_.get_string("architecture")),
      inputs_(read_inputs(folder)),
      noise_(facts_.get_strings("noise_dominated")) {}

std::vector<std::string> ReferenceCase::names(const std::string& file) const {
  std::vector<std::string> names;
  if (!std::filesystem::exists(file_of(path_, file))) return names;
  const io::SafetensorsFile tensors = io::SafetensorsFile::open(file_of(path_, file));
  for (const io::SafetensorsEntry& entry : tensors.entries()) {
    if (!entry.name.ends_with(kRows)) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> ReferenceCase::names_of(const nn::Parameter& parameter, const std::string& file) const {
  if (parameter.aliases.empty()) return {parameter.name};
  std::vector<std::string> all = parameter.aliases;
  all.push_back(parameter.name);
  std::erase_if(all,
                [stored = names(file)](const std::string& name) { return !std::ranges::binary_search(stored, name); });
  return all.empty() ? std::vector{parameter.name} : all;
}

std::string ReferenceCase::place_of(const std::string& file, const std::string& name) const {
  return place_in(file_of(path_, file), name);
}

Recorded ReferenceCase::recorded(const std::string& file, const std::string& name) const {
  const io::SafetensorsFile tensors = io::SafetensorsFile::open(file_of(path_, file));
  const std::string place = place_of(file, name), of_rows = name + std::string(kRows);
  Recorded result{.place = place,
                  .values = to_float32(place, require_tensor(tensors, name)),
                  .torch_difference = torch_difference(file, name)};
  if (const std::optional<TensorView> rows = tensors.find(of_rows)) {
    result.rows = integers_in(place_of(file, of_rows), *rows);
    result.sparse = true;
  }
  return result;
}

Tensor ReferenceCase::integers(const std::string& file, const std::string& name) const {
  const io::SafetensorsFile tensors = io::SafetensorsFile::open(file_of(path_, file));
  return to_int32(place_of(file, name), require_tensor(tensors, name));
}

bool ReferenceCase::is_noise(const std::string& parameter) const {
  return std::ranges::find(noise_, parameter) != noise_.end();
}

double ReferenceCase::torch_difference(const std::string& file, const std::string& name) const {
  if (file == "expected") {
    const std::optional<io::JsonObject> differences = facts_.get_object("eval_fp32_max_abs_diff");
    return differences ? differences->get_float_or(name, 0) : 0;
  }
  const std::optional<io::JsonObject> parameters = facts_.get_object("params");
  const std::optional<io::JsonObject> facts = parameters ? parameters->get_object(name) : std::nullopt;
  return facts ? facts->get_float_or(file == "grads" ? "grad_fp32_diff" : "after5_fp32_diff", 0) : 0;
}

}  // namespace portatune::parity
