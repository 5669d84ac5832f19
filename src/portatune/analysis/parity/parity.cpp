#include "portatune/analysis/parity/parity.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "portatune/analysis/parity/generation.h"
#include "portatune/analysis/parity/optimizer_steps.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/nn/program_parameters.h"
#include "portatune/train/program/programs.h"

namespace portatune::parity {
namespace {

const Tensor* find(const NamedTensors& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
  return found == tensors.end() ? nullptr : &found->second;
}

const Tensor& require_computed(const NamedTensors& tensors, const std::string& name, const Recorded& recorded) {
  if (const Tensor* tensor = find(tensors, name)) return *tensor;
  throw CheckpointError({.where = recorded.place,
                         .given = "a tensor that Portatune does not compute",
                         .expected = "the names of transformers' outputs and of the checkpoint's parameters"});
}

// Computes outputs and loss, then gradients by parameter, in one program without dropout.
void run_forward_and_gradients(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                               DType dtype, ParityResult& result) {
  const train::EvaluationProgram program = train::evaluation_program(
      task, signature_of(task, reference), {.compute_dtype = dtype, .lora = reference.model().lora()});
  const Function& forward = program.function;
  Function f{.parameters = forward.parameters, .results = {forward.results[0] / forward.results[1]}};
  f.results.insert(f.results.end(), forward.results.begin() + 2, forward.results.end());
  const std::span<const nn::Parameter> weights_read = nn::arguments_of(program.parameters);
  const bool differentiate = dtype == DType::kFloat32 && task.has_loss() && !reference.names("grads").empty();
  if (differentiate) {
    Values weights;
    for (const nn::Parameter& parameter : weights_read) weights.push_back(parameter.value);
    for (const Value& gradient : gradients(f.results[0], weights)) f.results.push_back(gradient);
  }

  std::vector<DeviceArray> arrays = put_all(device, start_of(task, reference, program.parameters));
  std::vector<DeviceArray*> arguments;
  for (DeviceArray& array : arrays) arguments.push_back(&array);
  const std::vector<DeviceArray> found = device.compile(f).run(arguments);
  size_t next = 0;
  if (task.has_loss()) result.expected.emplace_back("loss", found[next].to_host());
  ++next;
  for (const std::string& name : program.outputs) result.expected.emplace_back(name, found[next++].to_host());
  if (!differentiate) return;
  for (const nn::Parameter& parameter : weights_read) {
    const Tensor gradient = found[next++].to_host();
    for (const std::string& name : reference.names_of(parameter, "grads")) result.grads.emplace_back(name, gradient);
  }
}

// Returns by flat index of an output [batch, seq, ...] whether its position is a token.
std::function<bool(int64_t)> tokens_only(const ReferenceCase& reference, const Tensor& output) {
  if (!reference.inputs().has("attention_mask")) return {};
  const Tensor& mask = reference.inputs().tensor("attention_mask");
  const int64_t width = output.shape().elements() / mask.shape().elements();
  return [&mask, width](int64_t i) { return mask.as<int32_t>()[static_cast<size_t>(i / width)] != 0; };
}

void compare_outputs(const ReferenceCase& reference, const ReferenceTask& task, DType dtype, ParityResult& result) {
  for (const std::string& name : reference.names("expected")) {
    const Recorded recorded = reference.recorded("expected", name);
    const Tensor& found = require_computed(result.expected, name, recorded);
    const auto counts =
        task.is_per_position(name) && name != "loss" ? tokens_only(reference, found) : std::function<bool(int64_t)>{};
    result.comparisons.push_back(compare("output", name, found, recorded, allowed_error(recorded, dtype), counts));
  }
}

void compare_parameters(const ReferenceCase& reference, ParityResult& result) {
  for (const std::string& name : reference.names("grads")) {
    const Recorded recorded = reference.recorded("grads", name);
    result.comparisons.push_back(compare("gradient", name, require_computed(result.grads, name, recorded), recorded,
                                         allowed_error(recorded, DType::kFloat32)));
  }
  if (result.after5.empty()) return;
  const io::JsonObject optimizer = *reference.facts().get_object("optimizer");
  const std::string kind = "after " + std::to_string(optimizer.get_int("steps")) + " steps";
  for (const std::string& name : reference.names("after5")) {
    const Recorded recorded = reference.recorded("after5", name);
    result.comparisons.push_back(compare_updated(kind, name, require_computed(result.after5, name, recorded), recorded,
                                                 optimizer.get_float("lr"), reference.is_noise(name)));
  }
}

// The error for a shape that does not fit, which must come from an input.
CheckpointError wrong_inputs(const ReferenceCase& reference, const ShapeError& error) {
  std::string inputs;
  for (const data::Example::Entry& input : reference.inputs().columns()) {
    inputs += (inputs.empty() ? "" : ", ") + input.name + " " + to_string(reference.inputs().tensor(input.name).type());
  }
  return CheckpointError({.where = (reference.path() / "inputs.safetensors").string(),
                          .given = inputs + " (" + one_line(error.report()) + ")",
                          .expected = "inputs of the shapes of " + reference.architecture()});
}

void require_comparisons(const ReferenceCase& reference, DType dtype, const ParityResult& result) {
  if (!result.comparisons.empty()) return;
  const bool is_float32 = dtype == DType::kFloat32;
  throw CheckpointError({.where = reference.path().string(),
                         .given = "no tensor to compare",
                         .expected = is_float32 ? "tensors in expected.safetensors, grads.safetensors, "
                                                  "after5.safetensors or generate.safetensors"
                                                : "tensors in expected.safetensors, as gradients, steps and generated "
                                                  "ids are compared only in float32",
                         .fix = "make the case with tools/make_reference.py"});
}

// Tensors that dump() writes, and their file.
struct Dumped {
  std::string_view file;
  NamedTensors ParityResult::*tensors;
};
constexpr std::array<Dumped, 4> kDumped = {{{"expected.safetensors", &ParityResult::expected},
                                            {"grads.safetensors", &ParityResult::grads},
                                            {"after5.safetensors", &ParityResult::after5},
                                            {"generate.safetensors", &ParityResult::generated}}};

}  // namespace

bool ParityResult::passed() const { return std::ranges::all_of(comparisons, &Comparison::passed); }

ParityResult check_parity(const Device& device, const ReferenceCase& reference, DType dtype) {
  ParityResult result = check_parity(device, reference, ReferenceTask(reference), dtype);
  if (dtype == DType::kFloat32) result.generated = check_generation(device, reference, result.comparisons);
  require_comparisons(reference, dtype, result);
  return result;
}

ParityResult check_parity(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                          DType dtype) {
  ParityResult result;
  try {
    run_forward_and_gradients(device, reference, task, dtype, result);
  } catch (const ShapeError& error) {
    throw wrong_inputs(reference, error);
  }
  compare_outputs(reference, task, dtype, result);
  if (dtype == DType::kFloat32) {
    if (!reference.names("after5").empty())
      result.after5 = optimizer_steps(device, reference, task, result.comparisons);
    compare_parameters(reference, result);
  }
  return result;
}

void require_place_of_dump(const std::filesystem::path& folder) {
  io::recover_directory(folder);
  const auto is_dumped = [](const std::filesystem::directory_entry& entry) {
    return std::ranges::find(kDumped, entry.path().filename(), &Dumped::file) != kDumped.end();
  };
  io::require_nothing_else(folder, is_dumped, "the dump of an earlier comparison");
}

void dump(const ParityResult& result, const std::filesystem::path& folder) {
  require_place_of_dump(folder);
  io::AtomicDirectory directory(folder);
  for (const auto& [file, tensors] : kDumped) {
    if ((result.*tensors).empty()) continue;
    std::vector<NamedTensorView> views;
    for (const auto& [name, tensor] : result.*tensors) views.push_back({name, tensor.view()});
    io::write_safetensors(directory.staging() / file, views);
  }
  directory.commit();
}

}  // namespace portatune::parity
