#include "portune/train/weights.h"

#include <algorithm>
#include <iterator>

#include "portune/error.h"
#include "portune/io/content_hash.h"
#include "portune/train/checkpoint.h"
#include "portune/train/finite.h"
#include "portune/train/shared_update.h"

namespace portune::train {
namespace {

// Each process puts its part of the arrays that have this hash on its devices.
void require_same(uint64_t hash, const char* what, ProcessGroup* processes) {
  const std::optional<int64_t> other = first_with_another(processes, hash);
  if (!other) return;
  throw CheckpointError({.where = "process " + std::to_string(*other),
                         .given = std::string(what) + " that are not those of process 0",
                         .expected = "the same model in all processes"});
}

uint64_t hash_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return io::hash_of(views);
}

}  // namespace

void Weights::load(const std::vector<nn::Parameter>& parameters) {
  if (empty()) {
    InitialWeights initial = task_.initial_weights(parameters, seed_);
    if (device_.processes() != nullptr) require_same(hash_of(initial.values), "weights", device_.processes());
    load_report_ = std::move(initial.report);
    parameters_ = parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      names_.push_back(parameters[i].name);
      weights_.push_back(device_.put(std::move(initial.values[i]), parameters[i].sharding));
    }
  } else if (!std::ranges::equal(parameters, names_, {}, &nn::Parameter::name)) {
    throw UsageError({.where = "Task::forward",
                      .given = "other parameters, or another order of them, than for the first batch",
                      .expected = "the same for batches of every shape, in training and evaluation"});
  }
}

void Weights::load_moments() {
  if (have_moments()) return;
  if (!resume_from_.empty()) return restore_moments();
  for (size_t i = 0; i < names_.size(); ++i) {
    m_.push_back(device_.put(Tensor(weights_[i].type()), sharding_of_moments(i)));
    v_.push_back(device_.put(Tensor(weights_[i].type()), sharding_of_moments(i)));
  }
}

void Weights::return_to(const std::filesystem::path& checkpoint) {
  if (checkpoint.empty()) {
    InitialWeights initial = task_.initial_weights(parameters_, seed_);
    for (size_t i = 0; i < names_.size(); ++i) {
      weights_[i] = device_.put(std::move(initial.values[i]), parameters_[i].sharding);
    }
  } else {
    const SavedArrays saved(checkpoint, kWeightsStem);
    for (size_t i = 0; i < names_.size(); ++i) {
      weights_[i] = device_.put(saved.read(names_[i], weights_[i].type()), parameters_[i].sharding);
    }
  }
  resume_from_ = checkpoint;
  m_.clear();
  v_.clear();
  load_moments();
}

void Weights::restore_moments() {
  const SavedArrays saved(resume_from_, kMomentsStem);
  uint64_t hash = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    for (const auto& [prefix, arrays] : {std::pair("m.", &m_), std::pair("v.", &v_)}) {
      Tensor moment = saved.read(prefix + names_[i], weights_[i].type());
      if (device_.processes() != nullptr) hash = hash * 31 + io::hash_of({moment.view()});
      arrays->push_back(device_.put(std::move(moment), sharding_of_moments(i)));
    }
  }
  require_same(hash, "moments", device_.processes());
}

std::vector<DeviceArray*> Weights::arguments() {
  std::vector<DeviceArray*> arguments;
  for (DeviceArray& weight : weights_) arguments.push_back(&weight);
  return arguments;
}

std::vector<DeviceArray*> Weights::arguments_of_step() {
  std::vector<DeviceArray*> arguments;
  for (auto* arrays : {&weights_, &m_, &v_}) {
    for (DeviceArray& array : *arrays) arguments.push_back(&array);
  }
  return arguments;
}

std::vector<DeviceArray> Weights::take_results_of_step(std::vector<DeviceArray> results) {
  auto result = results.begin();
  for (auto* arrays : {&weights_, &m_, &v_}) {
    for (DeviceArray& array : *arrays) array = std::move(*result++);
  }
  return {std::make_move_iterator(result), std::make_move_iterator(results.end())};
}

std::string Weights::first_not_finite() const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!is_finite(weights_[i].to_host().view())) return names_[i];
  }
  return {};
}

Sharding Weights::sharding_of_moments(size_t parameter) const {
  return SharedUpdate(parameters_[parameter], device_.mesh()).sharding();
}

std::vector<NamedArray> Weights::named(const std::string& prefix, const std::vector<DeviceArray>& arrays) const {
  std::vector<NamedArray> named;
  for (size_t i = 0; i < arrays.size(); ++i) named.push_back({prefix + names_[i], &arrays[i]});
  return named;
}

void Weights::save_model(SharedDirectory& directory, const std::filesystem::path& place) const {
  if (directory.rank() == 0) directory.attempt([&] { task_.save(directory.staging()); });
  write_arrays(directory, kWeightsStem, named("", weights_), [&](const NamedTensorView& weight) {
    require_finite("saving to " + place.string(), {&weight, 1});
  });
}

void Weights::save_moments(SharedDirectory& directory) const {
  std::vector<NamedArray> moments = named("m.", m_);
  std::ranges::move(named("v.", v_), std::back_inserter(moments));
  write_arrays(directory, kMomentsStem, std::move(moments));
}

}  // namespace portune::train
