#include "portatune/train/program/step_update.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "portatune/nn/program_parameters.h"
#include "portatune/train/optim/optimizer.h"
#include "portatune/train/program/given_gradients.h"

namespace portatune::train {
namespace {

// The norm of the sums of all gradients, of which each device has parts.
Value global_norm(const Values& gradients, const std::vector<SharedUpdate>& updates, const Mesh& mesh) {
  const Value zero = full({DType::kFloat32, {}}, 0);
  std::map<MeshAxes, Value> squares;  // by the axes along which the gradients are sharded
  for (size_t i = 0; i < gradients.size(); ++i) {
    Value& sum = squares.try_emplace(updates[i].sharding().over, zero).first->second;
    sum = sum + sum_of_squares(gradients[i]);
  }
  Value total = zero;
  for (const auto& [axes, sum] : squares) total = total + all_reduce(sum, mesh, axes);
  return sqrt(total);
}

// The factor of torch.nn.utils.clip_grad_norm_.
Value clipping_factor(const Value& norm, double max_norm) {
  const Value one = full(norm.type(), 1);
  return max_norm > 0 ? minimum(one, max_norm / (norm + 1e-6)) : one;
}

// The scaling of the gradients, and the clipping of their elements.
class Clipping {
 public:
  // scale      factor of the gradients, after which elements are clipped
  // max_value  maximum of an element's size; 0: none
  Clipping(const Value& scale, double max_value) : scale_(scale), max_value_(max_value) {}

  // The factor that clipped() leaves to the update.
  Value factor() const { return max_value_ > 0 ? full(scale_.type(), 1) : scale_; }
  Value clipped(const Value& gradient) const {
    if (max_value_ == 0) return gradient;
    const auto limit = [&](double value) { return full(gradient.type(), value); };
    return maximum(minimum(gradient * scale_, limit(max_value_)), limit(-max_value_));
  }

 private:
  const Value scale_;
  const double max_value_;
};

// A device's part of a weight, and new parameters of the program for its slots.
optim::Update state_of(const Value& part, const optim::Optimizer& optimizer) {
  optim::Update state{.weight = part, .slots = {}};
  for (const optim::Slot& slot : optimizer.slots(part.rank())) {
    state.slots.push_back(parameter(slot.name, {part.type().dtype, slot.shape(part.shape())}));
  }
  return state;
}

// The rules by which a step updates the parameters. Parameters with the same learning rate and optimizer share one.
class UpdateRules {
 public:
  // scalars  those of the step, without the learning rate and the weight decay
  UpdateRules(std::span<const nn::Parameter> parameters, const StepOptions& options, optim::StepScalars scalars)
      : parameters_(parameters),
        options_(options),
        scalars_(std::move(scalars)),
        rates_(parameters, options.groups, options.layer_decay, options.decays),
        input_(parameter("learning_rate", rates_.type())) {}

  const StepRates& rates() const { return rates_; }
  // The input of the step with all learning rates and weight decays.
  const Value& input() const { return input_; }

  const optim::UpdateRule& of(size_t i) {
    const optim::Optimizer& optimizer = optimizer_for(parameters_[i], options_.groups, *options_.optimizer);
    optim::UpdateRule& rule = rules_[{rates_.index(i), &optimizer}];
    if (!rule) {
      scalars_.learning_rate = rates_.learning_rate(i, input_);
      scalars_.weight_decay = rates_.weight_decay(i, input_);
      rule = optimizer.rule(scalars_);
    }
    return rule;
  }

 private:
  const std::span<const nn::Parameter> parameters_;
  const StepOptions& options_;
  optim::StepScalars scalars_;
  const StepRates rates_;
  const Value input_;
  std::map<std::pair<size_t, const optim::Optimizer*>, optim::UpdateRule> rules_;
};

// The function of a step: values at the indices of the layout.
class StepBuilder {
 public:
  explicit StepBuilder(StepLayout layout) : layout_(std::move(layout)) {
    f_.parameters.resize(layout_.arguments());
    f_.results.resize(layout_.results());
    f_.result_shardings.resize(layout_.results());
    f_.aliases = layout_.replaced();
  }

  void set_weight(size_t i, const nn::Parameter& parameter) { f_.parameters[layout_.weight(i)] = parameter.input; }
  void replace_weight(size_t i, const nn::Parameter& parameter, const Value& after) {
    replace(layout_.weight(i), parameter.input, after, parameter.sharding);
  }
  void replace_slots(size_t parameter, const Values& before, const Values& after) {
    for (size_t i = 0; i < layout_.slots().size(); ++i) {
      const SlotArray& slot = layout_.slots()[i];
      if (slot.parameter == parameter) {
        replace(layout_.slot(i), before[slot.slot], after[slot.slot], slot.sharding);
      }
    }
  }
  void replace_progress(const ProgressValues& before, const ProgressValues& after) {
    replace(layout_.progress(ProgressArray::kCounters), before.counters, after.counters);
    replace(layout_.progress(ProgressArray::kLossScale), before.loss_scale, after.loss_scale);
  }
  void set_inputs(const SumInputs& inputs, const Value& rates) {
    for (const auto& [name, value] : inputs.arrays) f_.parameters[layout_.batch(name)] = value;
    f_.parameters[layout_.input(StepInput::kRates)] = rates;
    if (!layout_.draws()) return;
    f_.parameters[layout_.input(StepInput::kRandomKey)] = inputs.random_key;
    for (size_t i = 0; i < inputs.dropouts.size(); ++i) f_.parameters[layout_.dropout(i)] = inputs.dropouts[i].rule;
  }
  void set_number(StepNumber number, const Value& value) { f_.results[layout_.result(number)] = value; }

  StepProgram program(std::vector<nn::Parameter> parameters, StepRates rates, std::vector<double> dropout_rates,
                      const Mesh& mesh) && {
    f_.mesh = mesh;
    return {.function = std::move(f_),
            .parameters = std::move(parameters),
            .layout = std::move(layout_),
            .rates = std::move(rates),
            .dropout_rates = std::move(dropout_rates)};
  }

 private:
  void replace(size_t argument, const Value& before, const Value& after, const Sharding& sharding = {}) {
    const size_t result = layout_.result_for(argument);
    f_.parameters[argument] = before;
    f_.results[result] = after;
    f_.result_shardings[result] = sharding;
  }

  StepLayout layout_;
  Function f_;
};

StepLayout layout_of(const std::vector<nn::Parameter>& parameters, const SumInputs& inputs,
                     const StepOptions& options) {
  Signature arrays;
  for (const auto& [name, value] : inputs.arrays) arrays.emplace_back(name, value.type());
  const std::optional<size_t> dropouts = inputs.random_key ? std::optional(inputs.dropouts.size()) : std::nullopt;
  return StepLayout(nn::arguments_of(parameters), slots_of(parameters, *options.optimizer, options.mesh), arrays,
                    dropouts);
}

}  // namespace

Value divisor_of(const Sums& sums) { return maximum(sums.weight, full(sums.weight.type(), 1e-30)); }

std::vector<SharedUpdate> updates_of(std::span<const nn::Parameter> trainable, const Mesh& mesh) {
  std::vector<SharedUpdate> updates;
  for (const nn::Parameter& parameter : trainable) updates.emplace_back(parameter, mesh);
  return updates;
}

std::vector<double> rates_of(const std::vector<nn::DropoutInput>& dropouts) {
  std::vector<double> rates;
  for (const nn::DropoutInput& dropout : dropouts) rates.push_back(dropout.rate);
  return rates;
}

StepProgram step_with(const Sums& sums, const SumInputs& inputs, const std::vector<nn::Parameter>& parameters,
                      const ProgressValues& progress, const StepOptions& options) {
  const std::vector<SharedUpdate> updates = updates_of(trainable_of(parameters), options.mesh);
  const Value weight = divisor_of(sums), loss = sums.loss / weight;
  const Value norm = global_norm(sums.gradients, updates, options.mesh) / weight;
  const Verdict verdict = judge(progress, loss, norm, options.compute_dtype, options.on_non_finite);

  // The update divides the gradients by the weight, as it scales them anyway.
  const Clipping clipping(clipping_factor(norm, options.max_grad_norm) / weight, options.max_grad_value);
  UpdateRules rules(parameters, options,
                    {.learning_rate = {},
                     .updates = verdict.updates,
                     .factor = clipping.factor(),
                     .makes_update = verdict.makes_update});
  const std::span<const nn::Parameter> arguments = nn::arguments_of(parameters);
  StepBuilder step(layout_of(parameters, inputs, options));
  const Value place = place_of_device(options.mesh, {MeshAxis::kData});
  for (size_t i = 0, of_trainable = 0; i < arguments.size(); ++i) {
    if (!parameters[i].trainable) {
      step.set_weight(i, parameters[i]);
      continue;
    }
    const SharedUpdate& shared = updates[of_trainable];
    const optim::Update before = state_of(shared.part(parameters[i].input, place), *options.optimizer);
    const Value gradient = clipping.clipped(sums.gradients[of_trainable]);
    const optim::Update after = rules.of(i)(before, gradient, {shared.sharding(), options.mesh});
    step.replace_weight(i, parameters[i], shared.held(after.weight));
    step.replace_slots(i, before.slots, after.slots);
    ++of_trainable;
  }
  step.replace_progress(progress, verdict.next);
  step.set_inputs(inputs, rules.input());
  const Value no_loss = full(loss.type(), std::nan(""));
  step.set_number(StepNumber::kLoss, select(verdict.ended, no_loss, loss));
  step.set_number(StepNumber::kWeight, sums.weight);
  step.set_number(StepNumber::kGradNorm, norm);
  step.set_number(StepNumber::kLossScale, progress.loss_scale);
  return std::move(step).program(parameters, rules.rates(), rates_of(inputs.dropouts), options.mesh);
}

StepProgram update_program(const std::vector<nn::Parameter>& parameters, const StepOptions& options) {
  const Value loss = parameter(kGivenLoss, {DType::kFloat32, {}});
  Sums sums{.loss = loss, .weight = full(loss.type(), 1), .gradients = {}};
  SumInputs inputs{.arrays = {{kGivenLoss, loss}}};
  for (const nn::Parameter& of : trainable_of(parameters)) {
    const Sharding sharding = SharedUpdate(of, options.mesh).sharding();
    sums.gradients.push_back(parameter("gradient", part_of(of.type, sharding, options.mesh)));
    inputs.arrays.emplace_back(input_of_gradient(of), sums.gradients.back());
  }
  return step_with(sums, inputs, parameters, progress_parameters(), options);
}

}  // namespace portatune::train
