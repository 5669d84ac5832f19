#include "portune/train/weights.h"

#include <algorithm>
#include <iterator>

#include "portune/error.h"
#include "portune/io/content_hash.h"
#include "portune/train/checkpoint.h"
#include "portune/train/finite.h"

namespace portune::train {
namespace {

std::vector<Tensor> to_host(const std::vector<DeviceArray>& arrays) {
  std::vector<Tensor> tensors;
  for (const DeviceArray& array : arrays) tensors.push_back(array.to_host());
  return tensors;
}

// Each process puts them on its device.
void require_same(const std::vector<Tensor>& tensors, const char* what, ProcessGroup* processes) {
  if (processes == nullptr) return;
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(views));
  if (!other) return;
  throw CheckpointError({.where = "process " + std::to_string(*other),
                         .given = std::string(what) + " that are not those of process 0",
                         .expected = "the same model in all processes"});
}

void append_views(std::vector<NamedTensorView>& views, const std::string& prefix, const std::vector<std::string>& names,
                  const std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < names.size(); ++i) views.push_back({prefix + names[i], tensors[i].view()});
}

}  // namespace

void Weights::load(const std::vector<nn::Parameter>& parameters) {
  if (empty()) {
    InitialWeights initial = task_.initial_weights(parameters, seed_);
    require_same(initial.values, "weights", device_.processes());
    load_report_ = std::move(initial.report);
    for (size_t i = 0; i < parameters.size(); ++i) {
      names_.push_back(parameters[i].name);
      shardings_.push_back(parameters[i].sharding);
      weights_.push_back(device_.put(std::move(initial.values[i]), shardings_.back()));
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
    m_.push_back(device_.put(Tensor(weights_[i].type()), shardings_[i]));
    v_.push_back(device_.put(Tensor(weights_[i].type()), shardings_[i]));
  }
}

void Weights::restore_moments() {
  std::vector<TensorType> types;
  for (const DeviceArray& weight : weights_) types.push_back(weight.type());
  Moments moments = read_moments(resume_from_, names_, types);
  for (const auto* arrays : {&moments.m, &moments.v}) require_same(*arrays, "moments", device_.processes());
  for (size_t i = 0; i < names_.size(); ++i) {
    m_.push_back(device_.put(std::move(moments.m[i]), shardings_[i]));
    v_.push_back(device_.put(std::move(moments.v[i]), shardings_[i]));
  }
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

// Where another process reads arrays that this one has parts of.
void Weights::take_part_in_reading(const std::vector<DeviceArray>& arrays) const {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (device_.mesh().size(shardings_[i].over) > 1) static_cast<void>(arrays[i].to_host());
  }
}

void Weights::save_model(const std::filesystem::path& folder, const std::filesystem::path& place) const {
  if (empty()) {
    throw UsageError({.where = "saving to " + place.string(),
                      .given = "a trainer that has seen no batch",
                      .expected = "a step or an evaluation before, which loads the weights"});
  }
  if (folder.empty()) return take_part_in_reading(weights_);
  const std::vector<Tensor> values = to_host(weights_);
  std::vector<NamedTensorView> views;
  append_views(views, "", names_, values);
  require_finite("saving to " + place.string(), views);
  task_.save(folder, views);
}

void Weights::save_moments(const std::filesystem::path& folder) const {
  if (folder.empty()) {
    take_part_in_reading(m_);
    return take_part_in_reading(v_);
  }
  const std::vector<Tensor> m = to_host(m_), v = to_host(v_);
  std::vector<NamedTensorView> views;
  append_views(views, "m.", names_, m);
  append_views(views, "v.", names_, v);
  write_moments(folder, views);
}

}  // namespace portune::train
