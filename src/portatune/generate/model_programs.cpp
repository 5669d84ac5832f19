#include "portatune/generate/model_programs.h"

#include <algorithm>
#include <stdexcept>

#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"

namespace portatune::generate {
namespace {

// Identifies a program but for the length of the prompt.
std::string key_of(const SearchKind& kind, const Sizes& sizes) {
  std::string key = std::to_string(sizes.prompts) + " x " + std::to_string(sizes.length);
  for (const bool part : {kind.penalises, kind.samples, kind.keeps_top_k, kind.keeps_top_p}) key += part ? " 1" : " 0";
  for (const bool part : {kind.bans_ngrams, kind.restricts}) key += part ? " 1" : " 0";
  for (const int64_t size : {kind.beams, kind.beams > 1 ? kind.eos_tokens : 0, kind.bad_words, kind.bad_word_size}) {
    key += " " + std::to_string(size);
  }
  key += kind.scores ? " 1" : " 0";
  if (!kind.times) return key;
  return key + " times " + std::to_string(kind.times->first) + " " + std::to_string(kind.times->end) + " " +
         std::to_string(kind.times->max_initial.value_or(-1));
}

// Converts float32 values to the dtype of storage.
Tensor in_type(DType dtype, Tensor values) {
  if (dtype == DType::kFloat32) return values;
  Tensor narrow(TensorType{dtype, values.shape()});
  std::ranges::transform(values.as<float>(), reinterpret_cast<uint16_t*>(narrow.data()),
                         dtype == DType::kFloat16 ? to_float16 : to_bfloat16);
  return narrow;
}

}  // namespace

ModelPrograms::ModelPrograms(const Device& device, const std::filesystem::path& folder, DType dtype)
    : device_(device),
      folder_(hub::ModelFolder::open(folder)),
      model_(models::text_model(folder_.config())),
      tokens_(token_model(*model_)),
      dtype_(dtype),
      programs_(device, [this](const std::vector<nn::Parameter>& parameters) { load(parameters); }) {}

void ModelPrograms::load(const std::vector<nn::Parameter>& parameters) {
  if (!weights_.empty()) {
    if (std::ranges::equal(parameters, names_, {}, &nn::Parameter::name)) return;
    throw std::logic_error("a program of a model has other parameters than its first program");
  }
  InitialWeights initial = hub::load_weights(folder_, parameters, model_->facts().base_prefix, 0);
  hub::require_weights(initial.report, parameters.size(), NewWeights::kNone);
  for (size_t i = 0; i < parameters.size(); ++i) {
    names_.push_back(parameters[i].name);
    if (!parameters[i].input) continue;  // no argument
    weights_.push_back(
        device_.put(in_type(parameters[i].input.dtype(), std::move(initial.values[i])), parameters[i].sharding));
  }
}

template <class Build>
const Program& ModelPrograms::program(const std::string& key, const std::string& what, Build build) {
  if (programs_.has(key)) return programs_.at(key);
  GenerationProgram plan = build();
  programs_.compile({{key, what, std::move(plan.function), std::move(plan.parameters)}},
                    [this](const std::string& of, double seconds, bool from_cache) {
                      if (callback_ != nullptr) callback_->on_compile(of, seconds, from_cache);
                    });
  return programs_.at(key);
}

const Program& ModelPrograms::prefill(const SearchKind& kind, const Sizes& sizes) {
  const std::string shape = to_string(Shape{sizes.prompts, sizes.prompt});
  return program("prefill " + shape + key_of(kind, sizes), "reading prompts " + shape,
                 [&] { return prefill_program(*model_, kind, sizes, dtype_, folder_.lora(), device_.mesh()); });
}

const Program& ModelPrograms::decode(const SearchKind& kind, const Sizes& sizes) {
  const std::string shape = to_string(Shape{sizes.prompts, sizes.length});
  const std::string source = tokens_->continues_prompts() ? "" : std::to_string(sizes.prompt) + " to ";
  return program("decode " + source + key_of(kind, sizes), "making tokens for " + shape,
                 [&] { return decode_program(*model_, kind, sizes, dtype_, folder_.lora(), device_.mesh()); });
}

std::vector<DeviceArray> ModelPrograms::run(const Program& program, std::vector<DeviceArray>& arguments) {
  std::vector<DeviceArray*> all;
  for (auto* arrays : {&weights_, &arguments}) {
    for (DeviceArray& array : *arrays) all.push_back(&array);
  }
  return program.run(all);
}

}  // namespace portatune::generate
