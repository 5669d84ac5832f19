#include "portatune/train/weights.h"

#include <algorithm>
#include <utility>

#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/hub/adapters/adapter_names.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file.h"
#include "portatune/train/checkpoint/checkpoint.h"
#include "portatune/train/finite.h"
#include "portatune/train/optim/average.h"
#include "portatune/train/optimizers.h"

namespace portatune::train {
namespace {

// Each process puts its part of the hashed arrays on its devices.
void require_same(uint64_t hash, const char* what, ProcessGroup* processes) {
  const std::optional<int64_t> other = first_with_another(processes, hash);
  if (!other) return;
  throw CheckpointError({.where = "process " + std::to_string(*other),
                         .given = std::string(what) + " other than those of process 0",
                         .expected = "the same model in all processes"});
}

uint64_t hash_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return io::hash_of(views);
}

// Arrays of a checkpoint, read one after the other. Processes compare their hash at the end.
class ComparedArrays {
 public:
  ComparedArrays(const std::filesystem::path& checkpoint, const char* stem, ProcessGroup* processes)
      : saved_(checkpoint, stem), processes_(processes) {}

  Tensor read(const std::string& name, const TensorType& type) {
    Tensor tensor = saved_.read(name, type);
    if (processes_ != nullptr) hash_ = hash_ * 31 + io::hash_of({tensor.view()});
    return tensor;
  }
  void require_same(const char* what) const { train::require_same(hash_, what, processes_); }

 private:
  const SavedArrays saved_;
  ProcessGroup* const processes_;
  uint64_t hash_ = 0;
};

// Requires that the model has all weights that an adapter leaves as they are: the saved adapter lacks them.
void require_frozen_weights(const LoadReport& report, std::span<const nn::Parameter> parameters) {
  for (const nn::Parameter& parameter : parameters) {
    if (parameter.trainable || std::ranges::find(report.missing, parameter.name) == report.missing.end()) continue;
    throw CheckpointError({.where = report.folder.string(),
                           .given = "no weight for " + parameter.name + ", which an adapter does not train",
                           .expected = "all weights of the model except those of the head",
                           .fix = "add its module to --modules-to-save"});
  }
}

}  // namespace

Weights::Weights(const Device& device, const Task& task, const TrainingOptions& options)
    : device_(device),
      task_(task),
      optimizer_(optimizer_of(options)),
      seed_(options.seed),
      new_weights_(options.new_weights),
      from_config_(options.from_config),
      lora_(options.lora),
      files_(options.model_files) {}

// A resumed run reads the weights of its checkpoint, also one that began from scratch.
InitialWeights Weights::initial_weights(std::span<const nn::Parameter> parameters) const {
  if (from_config_ && resume_from_.empty()) return hub::draw_weights(parameters, seed_);
  InitialWeights initial = task_.initial_weights(parameters, seed_);
  hub::require_weights(initial.report, parameters.size(), new_weights_);
  return initial;
}

void Weights::load(const std::vector<nn::Parameter>& parameters) {
  if (empty()) {
    InitialWeights initial = initial_weights(parameters);
    if (lora_) require_frozen_weights(initial.report, parameters);
    if (device_.processes() != nullptr) require_same(hash_of(initial.values), "weights", device_.processes());
    std::vector<std::string> names;
    std::vector<DeviceArray> weights;
    for (size_t i = 0; i < parameters.size(); ++i) {
      names.push_back(parameters[i].name);
      weights.push_back(device_.put(std::move(initial.values[i]), parameters[i].sharding));
    }
    load_report_ = std::move(initial.report);
    parameters_ = parameters;
    slot_arrays_ = slots_of(parameters_, *optimizer_, device_.mesh());
    names_ = std::move(names);
    weights_ = std::move(weights);
  } else if (!std::ranges::equal(parameters, names_, {}, &nn::Parameter::name)) {
    throw UsageError({.where = "Task::forward",
                      .given = "other parameters, or another order of parameters, than for the first batch",
                      .expected = "the same parameters for batches of every shape, in training and evaluation"});
  }
}

void Weights::load_optimizer_state() {
  require_whole();
  if (!have_optimizer_state()) make_slots();
}

// Sets all slots or none.
void Weights::make_slots() {
  if (!resume_from_.empty()) return restore_slots();
  std::vector<DeviceArray> slots;
  for (const SlotArray& slot : slot_arrays_) slots.push_back(device_.put(Tensor(slot.type), slot.sharding));
  slots_ = std::move(slots);
}

void Weights::restore(const std::filesystem::path& checkpoint) {
  are_whole_ = false;  // until all are restored: an error leaves a mixture
  resume_from_ = checkpoint;
  restore_weights();
  slots_.reset();
  make_slots();
  are_whole_ = true;
}

void Weights::require_whole() const {
  if (are_whole_) return;
  const std::string place = resume_from_.empty() ? "the start" : resume_from_.string();
  throw UsageError({.where = "the weights of the trainer",
                    .given = "weights partly restored from " + place + " by a failed rewind",
                    .expected = "the weights of one step",
                    .fix = "resume from a checkpoint with another trainer"});
}

void Weights::restore_weights() {
  if (resume_from_.empty()) {
    InitialWeights initial = initial_weights(parameters_);
    if (device_.processes() != nullptr) require_same(hash_of(initial.values), "weights", device_.processes());
    for (size_t i = 0; i < names_.size(); ++i) {
      weights_[i] = device_.put(std::move(initial.values[i]), parameters_[i].sharding);
    }
    return;
  }
  ComparedArrays saved(resume_from_, stem(), device_.processes());
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!is_saved(parameters_[i])) continue;
    weights_[i] = device_.put(saved.read(name_in_files(parameters_[i]), weights_[i].type()), parameters_[i].sharding);
  }
  saved.require_same("weights");
}

void Weights::restore_slots() {
  std::vector<DeviceArray> slots;
  if (!slot_arrays_.empty()) {
    ComparedArrays saved(resume_from_, kOptimizerStem, device_.processes());
    for (const SlotArray& slot : slot_arrays_) {
      slots.push_back(device_.put(saved.read(saved_name(slot), slot.type), slot.sharding));
    }
    saved.require_same("optimizer slots");
  }
  slots_ = std::move(slots);
}

// A slot that is divided in another way than its weight is copied.
void Weights::take_averages() {
  load_optimizer_state();
  std::map<size_t, DeviceArray> copies;  // all before the first exchange, because a copy may fail
  for (size_t i = 0; i < slot_arrays_.size(); ++i) {
    const SlotArray& slot = slot_arrays_[i];
    const Sharding& wanted = parameters_[slot.parameter].sharding;
    const bool is_copied = slot.name == optim::kAverageSlot && slot.sharding != wanted;
    if (is_copied) copies.emplace(i, device_.put(slots_->at(i).to_host(), wanted));
  }
  for (size_t i = 0; i < slot_arrays_.size(); ++i) {
    if (slot_arrays_[i].name != optim::kAverageSlot) continue;
    const auto copy = copies.find(i);
    DeviceArray& average = copy == copies.end() ? slots_->at(i) : copy->second;
    set_aside_.emplace(i, std::exchange(weights_[slot_arrays_[i].parameter], std::move(average)));
  }
}

void Weights::put_averages_back() {
  for (auto& [i, weight] : set_aside_) {
    const SlotArray& slot = slot_arrays_[i];
    DeviceArray taken = std::exchange(weights_[slot.parameter], std::move(weight));
    if (slot.sharding == parameters_[slot.parameter].sharding) slots_->at(i) = std::move(taken);
  }
  set_aside_.clear();
}

std::vector<std::pair<std::string, TensorType>> Weights::parameters() const {
  std::vector<std::pair<std::string, TensorType>> parameters;
  for (const nn::Parameter& parameter : parameters_) parameters.emplace_back(parameter.name, parameter.type);
  return parameters;
}

int64_t Weights::bytes() const {
  int64_t bytes = 0;
  for (const nn::Parameter& parameter : parameters_) bytes += is_saved(parameter) ? parameter.type.bytes() : 0;
  return bytes;
}

Tensor Weights::value(size_t parameter) const {
  require_whole();
  return weights_.at(parameter).to_host();
}

void Weights::set_value(size_t parameter, Tensor value) {
  require_whole();
  weights_.at(parameter) = device_.put(std::move(value), parameters_.at(parameter).sharding);
}

std::vector<std::pair<std::string, TensorType>> Weights::slots() const {
  std::vector<std::pair<std::string, TensorType>> slots;
  for (const SlotArray& slot : slot_arrays_) slots.emplace_back(saved_name(slot), slot.type);
  return slots;
}

Tensor Weights::slot(size_t index) const {
  require_whole();
  return slots_->at(index).to_host();
}

void Weights::set_slot(size_t index, Tensor value) {
  require_whole();
  slots_->at(index) = device_.put(std::move(value), slot_arrays_.at(index).sharding);
}

Tensor Weights::accumulated_gradient(size_t parameter) const {
  require_whole();
  const auto slot = std::ranges::find(slot_arrays_, parameter, &SlotArray::parameter);  // the first slots come first
  if (slot == slot_arrays_.end()) return Tensor(parameters_.at(parameter).type);
  return slots_->at(static_cast<size_t>(slot - slot_arrays_.begin())).to_host();
}

std::vector<DeviceArray*> Weights::arguments() {
  require_whole();
  std::vector<DeviceArray*> arguments;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (parameters_[i].input) arguments.push_back(&weights_[i]);
  }
  return arguments;
}

void Weights::set_arguments(const StepLayout& layout, std::vector<DeviceArray*>& arguments) {
  require_whole();
  for (size_t i = 0; i < layout.weights(); ++i) arguments[layout.weight(i)] = &weights_[i];
  for (size_t i = 0; i < slots_->size(); ++i) arguments[layout.slot(i)] = &(*slots_)[i];
}

std::string Weights::first_not_finite() const {
  require_whole();
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!is_finite(weights_[i].to_host().view())) return names_[i];
  }
  return {};
}

const char* Weights::stem() const { return lora_ ? hub::kAdapterStem : kWeightsStem; }

std::string Weights::name_in_files(const nn::Parameter& parameter) const {
  return lora_ ? hub::name_in_adapter(parameter.name, names_) : parameter.name;
}

std::vector<NamedArray> Weights::named_weights() const {
  std::vector<NamedArray> weights;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (is_saved(parameters_[i])) weights.push_back(named(name_in_files(parameters_[i]), weights_[i]));
  }
  return weights;
}

std::vector<NamedArray> Weights::named_slots() const {
  std::vector<NamedArray> slots;
  for (size_t i = 0; i < slot_arrays_.size(); ++i) slots.push_back(named(saved_name(slot_arrays_[i]), (*slots_)[i]));
  return slots;
}

void Weights::save_files(const std::filesystem::path& folder) const {
  task_.save(folder);
  if (lora_) hub::write_adapter_config(folder, *lora_, names_, load_report_.folder);
  for (const auto& [name, text] : files_) io::write_file(folder / name, text);
}

}  // namespace portatune::train
