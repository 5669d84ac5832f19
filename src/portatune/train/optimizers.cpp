#include "portatune/train/optimizers.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/train/optim/adafactor.h"
#include "portatune/train/optim/adam.h"
#include "portatune/train/optim/adamw.h"
#include "portatune/train/optim/average.h"
#include "portatune/train/optim/lamb.h"
#include "portatune/train/optim/lion.h"
#include "portatune/train/optim/rmsprop.h"
#include "portatune/train/optim/sgd.h"
#include "portatune/train/options.h"

namespace portatune::train {
namespace {

using optim::WeightDecayOf;
using Made = std::unique_ptr<const optim::Optimizer>;

struct Kind {
  std::string name, title;
  Made (*make)(const TrainingOptions&, WeightDecayOf);
  std::vector<std::string> options;  // besides the weight decay
};

AdamWOptions adam_options(const TrainingOptions& o) {
  return {.beta1 = o.adam_beta1, .beta2 = o.adam_beta2, .eps = o.adam_epsilon, .weight_decay = o.weight_decay};
}

Made make_adamw(const TrainingOptions& o, WeightDecayOf of) { return optim::adamw(adam_options(o), of); }
Made make_adam(const TrainingOptions& o, WeightDecayOf of) { return optim::adam(adam_options(o), of); }
Made make_lamb(const TrainingOptions& o, WeightDecayOf of) { return optim::lamb(adam_options(o), of); }
Made make_adafactor(const TrainingOptions& o, WeightDecayOf of) { return optim::adafactor(o.weight_decay, of); }
Made make_lion(const TrainingOptions& o, WeightDecayOf of) {
  return optim::lion({.beta1 = o.adam_beta1, .beta2 = o.adam_beta2, .weight_decay = o.weight_decay}, of);
}
Made make_sgd(const TrainingOptions& o, WeightDecayOf of) {
  return optim::sgd({.momentum = o.momentum, .nesterov = o.nesterov, .weight_decay = o.weight_decay}, of);
}

Made make_rmsprop(const TrainingOptions& o, WeightDecayOf of) {
  return optim::rmsprop({.alpha = o.rmsprop_alpha,
                         .eps = o.adam_epsilon,
                         .momentum = o.momentum,
                         .centered = o.rmsprop_centered,
                         .weight_decay = o.weight_decay},
                        of);
}

const std::vector<Kind>& kinds() {
  const std::vector<std::string> betas = {"adam_beta1", "adam_beta2"},
                                 adam = {"adam_beta1", "adam_beta2", "adam_epsilon"},
                                 rmsprop = {"rmsprop_alpha", "adam_epsilon", "momentum", "rmsprop_centered"};
  static const std::vector<Kind> all = {{kAdamW, "AdamW", make_adamw, adam},
                                        {"adam", "Adam", make_adam, adam},
                                        {"lamb", "LAMB", make_lamb, adam},
                                        {"lion", "Lion", make_lion, betas},
                                        {"adafactor", "Adafactor", make_adafactor, {}},
                                        {"sgd", "SGD", make_sgd, {"momentum", "nesterov"}},
                                        {"rmsprop", "RMSprop", make_rmsprop, rmsprop}};
  return all;
}

// Other names in transformers, for the same computation.
const OptionChoice kOtherNames[] = {
    {"adamw_torch_fused", kAdamW}, {"adamw_hf", kAdamW},   {"adamw", kAdamW},           {"adamw_apex_fused", kAdamW},
    {"paged_adamw_32bit", kAdamW}, {"lion_32bit", "lion"}, {"paged_lion_32bit", "lion"}};

bool has(const Kind& kind, const std::string& option) {
  return std::ranges::find(kind.options, option) != kind.options.end();
}

const Kind& kind_of(const TrainingOptions& options) {
  const auto found = std::ranges::find(kinds(), options.optim, &Kind::name);
  if (found == kinds().end()) refuse_option("optim", options.optim, "one of " + list_of(optimizer_names()));
  return *found;
}

// Refuses an option that only other optimizers have.
void refuse_unless_used(const std::string& option, bool is_given, const TrainingOptions& options) {
  if (!is_given || has(kind_of(options), option)) return;
  std::string titles, names;
  for (const Kind& kind : kinds()) {
    if (!has(kind, option)) continue;
    titles += (titles.empty() ? "" : " and ") + kind.title;
    names += (names.empty() ? "optim " : " or ") + kind.name;
  }
  refuse_option(option, "an option of " + titles + ", with optim " + options.optim, names);
}

Made make(const TrainingOptions& options, WeightDecayOf decay_of) {
  Made optimizer = kind_of(options).make(options, decay_of);
  return options.ema > 0 ? optim::with_average(std::move(optimizer), options.ema) : std::move(optimizer);
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return names;
}

std::string optimizer_title(const TrainingOptions& options) { return kind_of(options).title; }

std::vector<OptionChoice> optimizer_choices() {
  std::vector<OptionChoice> choices;
  for (const Kind& kind : kinds()) choices.push_back({kind.name});
  choices.insert(choices.end(), std::begin(kOtherNames), std::end(kOtherNames));
  return choices;
}

void check_optimizer(const TrainingOptions& options) {
  refuse_unless_used("nesterov", options.nesterov, options);
  refuse_unless_used("momentum", options.momentum > 0, options);
  refuse_unless_used("rmsprop_centered", options.rmsprop_centered, options);
  refuse_unless_used("rmsprop_alpha", options.rmsprop_alpha != TrainingOptions().rmsprop_alpha, options);
  if (options.nesterov && options.momentum == 0) {
    refuse_option("nesterov", "momentum 0", "momentum above 0", "set momentum, to 0.9 for example");
  }
}

std::unique_ptr<const optim::Optimizer> optimizer_of(const TrainingOptions& options) {
  return make(options, WeightDecayOf::kMatrices);
}

std::vector<StepGroup> groups_of(const TrainingOptions& options) {
  std::vector<StepGroup> groups;
  for (const ParameterGroup& group : options.param_groups) {
    groups.push_back({.parameters = group});
    if (!group.weight_decay) continue;
    TrainingOptions of_group = options;
    of_group.weight_decay = *group.weight_decay;
    groups.back().optimizer = make(of_group, WeightDecayOf::kAll);
  }
  return groups;
}

std::vector<std::string> unused_options(const TrainingOptions& options) {
  std::set<std::string> unused;
  for (const Kind& kind : kinds()) unused.insert(kind.options.begin(), kind.options.end());
  for (const std::string& used : kind_of(options).options) unused.erase(used);
  return {unused.begin(), unused.end()};
}

}  // namespace portatune::train
