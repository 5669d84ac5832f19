#include "portatune/train/optimizers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/optim/adafactor.h"
#include "portatune/optim/adam.h"
#include "portatune/optim/adamw.h"
#include "portatune/optim/lamb.h"
#include "portatune/optim/lion.h"
#include "portatune/optim/sgd.h"

namespace portatune::train {
namespace {

using Made = std::unique_ptr<const optim::Optimizer>;

struct Kind {
  std::string name, title;
  Made (*make)(const TrainingOptions&);
  bool has_betas = false, has_epsilon = false, has_momentum = false;  // options besides the weight decay
};

AdamWOptions adam_options(const TrainingOptions& o) {
  return {.beta1 = o.adam_beta1, .beta2 = o.adam_beta2, .eps = o.adam_epsilon, .weight_decay = o.weight_decay};
}

Made make_adamw(const TrainingOptions& o) { return optim::adamw(adam_options(o)); }
Made make_adam(const TrainingOptions& o) { return optim::adam(adam_options(o)); }
Made make_lamb(const TrainingOptions& o) { return optim::lamb(adam_options(o)); }
Made make_adafactor(const TrainingOptions& o) { return optim::adafactor(o.weight_decay); }
Made make_lion(const TrainingOptions& o) {
  return optim::lion({.beta1 = o.adam_beta1, .beta2 = o.adam_beta2, .weight_decay = o.weight_decay});
}
Made make_sgd(const TrainingOptions& o) {
  return optim::sgd({.momentum = o.momentum, .nesterov = o.nesterov, .weight_decay = o.weight_decay});
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {kAdamW, "AdamW", make_adamw, true, true},  {"adam", "Adam", make_adam, true, true},
      {"lamb", "LAMB", make_lamb, true, true},    {"lion", "Lion", make_lion, true},
      {"adafactor", "Adafactor", make_adafactor}, {"sgd", "SGD", make_sgd, false, false, true}};
  return all;
}

[[noreturn]] void refuse(const char* option, std::string given, std::string expected, std::string fix = {}) {
  throw UsageError(
      {.where = option, .given = std::move(given), .expected = std::move(expected), .fix = std::move(fix)});
}

const Kind& kind_of(const TrainingOptions& options) {
  const auto found = std::ranges::find(kinds(), options.optim, &Kind::name);
  if (found == kinds().end()) refuse("optim", options.optim, "one of " + list_of(optimizer_names()));
  return *found;
}

// Checks a value as the float32 that the step computes with. Every comparison with NaN is false.
void check_beta(const char* option, double value) {
  if (!(value >= 0 && static_cast<float>(value) < 1)) refuse(option, to_text(value), "at least 0 and below 1");
}

// A parameter with gradient 0 would be 0/0 without epsilon.
void check_epsilon(double value) {
  const float epsilon = static_cast<float>(value);
  if (epsilon >= std::numeric_limits<float>::min() && std::isfinite(epsilon)) return;
  refuse("adam_epsilon", to_text(value), "a finite number above 0, as a normal float32");
}

void check_momentum(const TrainingOptions& options, const Kind& kind) {
  check_beta("momentum", options.momentum);
  if (!kind.has_momentum && (options.momentum > 0 || options.nesterov)) {
    refuse(options.nesterov ? "nesterov" : "momentum", "an option of SGD, with optim " + options.optim,
           "it with optim sgd alone");
  }
  if (options.nesterov && options.momentum == 0) {
    refuse("nesterov", "momentum 0", "momentum above 0", "set momentum, to 0.9 for example");
  }
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return names;
}

std::string optimizer_title(const TrainingOptions& options) { return kind_of(options).title; }

void check_optimizer(const TrainingOptions& options) {
  check_momentum(options, kind_of(options));
  check_beta("adam_beta1", options.adam_beta1);
  check_beta("adam_beta2", options.adam_beta2);
  check_epsilon(options.adam_epsilon);
}

std::unique_ptr<const optim::Optimizer> optimizer_of(const TrainingOptions& options) {
  return kind_of(options).make(options);
}

std::map<std::string, std::string> optimizer_facts(const TrainingOptions& options) {
  const Kind& kind = kind_of(options);
  std::map<std::string, std::string> facts = {{"optim", options.optim},
                                              {"weight_decay", to_text(options.weight_decay)}};
  if (kind.has_betas) {
    facts["adam_beta1"] = to_text(options.adam_beta1);
    facts["adam_beta2"] = to_text(options.adam_beta2);
  }
  if (kind.has_epsilon) facts["adam_epsilon"] = to_text(options.adam_epsilon);
  if (kind.has_momentum) {
    facts["momentum"] = to_text(options.momentum);
    facts["nesterov"] = options.nesterov ? "true" : "false";
  }
  return facts;
}

}  // namespace portatune::train
