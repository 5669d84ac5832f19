#include "portatune/train/program/step_layout.h"

#include <algorithm>
#include <stdexcept>

#include "portatune/train/program/shared_update.h"

namespace portatune::train {

std::vector<SlotArray> slots_of(std::span<const nn::Parameter> parameters, const optim::Optimizer& optimizer,
                                const Mesh& mesh) {
  std::vector<SlotArray> slots;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].trainable) continue;
    const auto& [dtype, shape] = parameters[i].type;
    const Sharding sharding = SharedUpdate(parameters[i], mesh).sharding();
    const std::vector<optim::Slot> of_parameter = optimizer.slots(shape.rank());
    for (size_t slot = 0; slot < of_parameter.size(); ++slot) {
      slots.push_back({.name = of_parameter[slot].name,
                       .slot = slot,
                       .parameter = i,
                       .type = {dtype, of_parameter[slot].shape(shape)},
                       .sharding = of_parameter[slot].sharding(sharding)});
    }
  }
  std::ranges::stable_sort(slots, {}, &SlotArray::slot);
  return slots;
}

StepLayout::StepLayout(std::span<const nn::Parameter> parameters, std::vector<SlotArray> slots, const Signature& batch,
                       std::optional<size_t> dropouts)
    : weights_(parameters.size()), slots_(std::move(slots)), dropouts_(dropouts) {
  for (const auto& [name, type] : batch) batch_.push_back(name);
  for (size_t argument = 0; argument < first_of_batch(); ++argument) {
    const bool is_frozen = argument < weights_ && !parameters[argument].trainable;
    if (!is_frozen) replaced_.emplace_back(argument, replaced_.size());
  }
}

size_t StepLayout::batch(std::string_view name) const {
  const auto found = std::ranges::find(batch_, name);
  if (found == batch_.end()) throw std::out_of_range("a step without the array " + std::string(name));
  return first_of_batch() + static_cast<size_t>(found - batch_.begin());
}

size_t StepLayout::result_for(size_t argument) const {
  const auto found = std::ranges::find(replaced_, argument, &std::pair<size_t, size_t>::first);
  if (found == replaced_.end()) throw std::out_of_range("no result for argument " + std::to_string(argument));
  return found->second;
}

}  // namespace portatune::train
