#include "portatune/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "portatune/base/random.h"
#include "portatune/base/text/message.h"
#include "portatune/train/options.h"
#include "portatune/train/plateau.h"

namespace portatune {

void ScheduleOptions::describe(OptionFields& fields) {
  const auto add = [&](const char* name, auto& value, const char* help, OptionRules rules) {
    rules.fact = Fact::kUnlessDefault;
    fields(name, value, help, std::move(rules));
  };
  add("lr_num_cycles", num_cycles, "waves of cosine [0.5]; restarts of cosine_with_restarts [1]",
      {.fact_name = "num_cycles", .other_names = "num_cycles"});
  add("lr_power", power, "exponent of polynomial", {.fact_name = "power", .other_names = "power", .default_help = "1"});
  add("lr_end", lr_end, "last rate of polynomial", {.default_help = "1e-7"});
  add("lr_min_ratio", min_lr_ratio,
      "lowest rate of cosine_with_min_lr and warmup_stable_decay, as a part of --learning-rate",
      {.highest = 1, .fact_name = "min_lr_ratio", .other_names = "min_lr_ratio,min_lr_rate"});
  add("lr_timescale", timescale, "steps by which inverse_sqrt falls",
      {.lowest = 1,
       .fact_name = "timescale",
       .other_names = "timescale",
       .default_help = "the warm-up steps, or 10,000"});
  add("lr_stable_steps", num_stable_steps, "steps of warmup_stable_decay between warm-up and fall",
      {.other_names = "num_stable_steps", .default_help = "all but the last --lr-decay-steps"});
  add("lr_decay_steps", num_decay_steps, "steps in which warmup_stable_decay falls",
      {.fact_name = "num_decay_steps", .other_names = "num_decay_steps"});
  add("lr_decay_type", decay_type, "form of the fall of warmup_stable_decay",
      {.choices = {{"cosine"}, {"linear"}, {"1-sqrt"}},
       .fact_name = "decay_type",
       .other_names = "decay_type",
       .default_help = "cosine"});
  add("lr_factor", factor, "factor of each reduction by reduce_lr_on_plateau", {.below = 1, .default_help = "0.1"});
  add("lr_patience", patience, "evaluations in a row without improvement that reduce_lr_on_plateau allows",
      {.default_help = "10"});
  add("lr_threshold", threshold, "smallest improvement that counts for reduce_lr_on_plateau", {.default_help = "1e-4"});
  add("lr_threshold_mode", threshold_mode, "rel: --lr-threshold is a part of the best score; abs: a difference",
      {.choices = {{"rel"}, {"abs"}}, .default_help = "rel"});
  add("lr_cooldown", cooldown, "evaluations after a reduction that reduce_lr_on_plateau does not count",
      {.default_help = "0"});
  add("lr_min", min_lr, "lowest rate of reduce_lr_on_plateau and cosine_with_min_lr", {.default_help = "0"});
  add("lr_mode", mode, "whether reduce_lr_on_plateau expects scores to fall or to rise",
      {.choices = {{"min"}, {"max"}}, .default_help = "as --greater-is-better"});
}

}  // namespace portatune

namespace portatune::train {
namespace {

// A step, and the numbers of steps by which transformers computes its rate.
struct Moment {
  double done, warmup, total;  // done: steps before this one
  const TrainingOptions& options;

  // The part of the steps after warm-up that is done.
  double progress() const { return (done - warmup) / std::max(1.0, total - warmup); }
};

// The formulas of transformers/optimization.py: factors of the learning rate, with the same order of operations, so
// that rates agree to the last digit.

double rise(const Moment& m) { return m.done / std::max(1.0, m.warmup); }

double above(double minimum, double factor) { return std::max(0.0, factor * (1 - minimum) + minimum); }

double wave(double cycles, double progress) { return 0.5 * (1 + std::cos(std::numbers::pi * cycles * 2 * progress)); }

double constant(const Moment&) { return 1; }

double linear(const Moment& m) { return std::max(0.0, (m.total - m.done) / std::max(1.0, m.total - m.warmup)); }

double cosine(const Moment& m) {
  const ScheduleOptions& o = m.options.schedule;
  const double lowest = o.min_lr ? *o.min_lr / m.options.learning_rate : o.min_lr_ratio.value_or(0);
  return above(lowest, wave(o.num_cycles.value_or(0.5), m.progress()));
}

double cosine_with_restarts(const Moment& m) {
  if (m.progress() >= 1) return 0;
  const double of_fall = std::fmod(m.options.schedule.num_cycles.value_or(1) * m.progress(), 1.0);
  return 0.5 * (1 + std::cos(std::numbers::pi * of_fall));
}

constexpr double kLastRate = 1e-7;

double polynomial(const Moment& m) {
  const ScheduleOptions& o = m.options.schedule;
  const double first = m.options.learning_rate, last = o.lr_end.value_or(kLastRate);
  if (m.done >= m.total) return last / first;
  const double remaining = 1 - (m.done - m.warmup) / (m.total - m.warmup);
  return ((first - last) * std::pow(remaining, o.power.value_or(1)) + last) / first;
}

double inverse_sqrt(const Moment& m) {
  const double by_default = m.warmup > 0 ? m.warmup : 10'000;
  const std::optional<int64_t>& given = m.options.schedule.timescale;
  const double timescale = given ? static_cast<double>(*given) : by_default;
  return 1 / std::sqrt((m.done + (timescale - m.warmup)) / timescale);
}

double decay(const Moment& m) {
  const ScheduleOptions& o = m.options.schedule;
  const double steps = static_cast<double>(o.num_decay_steps.value_or(0));
  const double begin = o.num_stable_steps ? m.warmup + static_cast<double>(*o.num_stable_steps) : m.total - steps;
  const double progress = (m.done - begin) / std::max(1.0, steps);
  const std::string type = o.decay_type.value_or("cosine");
  if (progress < 0) return 1;
  if (progress >= 1) return o.min_lr_ratio.value_or(0);
  const double factor = type == "linear"   ? 1 - progress
                        : type == "cosine" ? wave(o.num_cycles.value_or(0.5), progress)
                                           : 1 - std::sqrt(progress);
  return above(o.min_lr_ratio.value_or(0), factor);
}

// Warm-up from the lowest rate.
double warmup_stable_decay(const Moment& m) {
  return m.done < m.warmup ? above(m.options.schedule.min_lr_ratio.value_or(0), rise(m)) : decay(m);
}

template <double (*after_warmup)(const Moment&)>
double with_warmup(const Moment& m) {
  return m.done < m.warmup ? rise(m) : after_warmup(m);
}

using Names = std::vector<std::string>;

struct Schedule {
  std::string name;
  double (*factor)(const Moment&);
  bool has_end;         // whether the factor depends on the total number of steps
  Names may_have = {};  // parameters
  Names needs = {};     // those without a default
};

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all = {
      {"linear", with_warmup<linear>, true},
      {"cosine", with_warmup<cosine>, true, {"lr_num_cycles"}},
      {"cosine_with_restarts", with_warmup<cosine_with_restarts>, true, {"lr_num_cycles"}},
      {"cosine_with_min_lr", with_warmup<cosine>, true, {"lr_num_cycles", "lr_min_ratio", "lr_min"}},
      {"polynomial", with_warmup<polynomial>, true, {"lr_power", "lr_end"}},
      {"constant", constant, false},
      {"constant_with_warmup", with_warmup<constant>, false},
      {"inverse_sqrt", with_warmup<inverse_sqrt>, false, {"lr_timescale"}},
      {"warmup_stable_decay",
       warmup_stable_decay,
       true,
       {"lr_stable_steps", "lr_decay_steps", "lr_decay_type", "lr_min_ratio", "lr_num_cycles"},
       {"lr_decay_steps"}},
      {kReduceOnPlateau,
       constant,
       false,
       {"lr_factor", "lr_patience", "lr_threshold", "lr_threshold_mode", "lr_cooldown", "lr_min", "lr_mode"}}};
  return all;
}

const Schedule& schedule_of(const TrainingOptions& options) {
  const auto found = std::ranges::find(schedules(), options.lr_scheduler_type, &Schedule::name);
  if (found == schedules().end()) {
    refuse_option("lr_scheduler_type", options.lr_scheduler_type, "one of " + list_of(schedule_names()));
  }
  return *found;
}

// Refuses parameters of other schedules, and requires those without a default.
void check_parameters(const Schedule& schedule, ScheduleOptions parameters) {
  for (const OptionField& field : fields_of(parameters)) {
    const std::vector<std::string> given = field.words();
    if (!given.empty() && std::ranges::find(schedule.may_have, field.name) == schedule.may_have.end()) {
      refuse_option(field.name, given.front() + ", with lr_scheduler_type " + schedule.name,
                    "a parameter of that schedule", "leave it out");
    }
    if (given.empty() && std::ranges::find(schedule.needs, field.name) != schedule.needs.end()) {
      refuse_option(field.name, "none", "a value, for lr_scheduler_type " + schedule.name);
    }
  }
}

void check_lowest_rate(const TrainingOptions& options) {
  const bool has_ratio = options.schedule.min_lr_ratio.has_value(), has_rate = options.schedule.min_lr.has_value();
  if (has_rate && options.learning_rate == 0) refuse_option("lr_min", "a value for learning_rate 0", "lr_min_ratio");
  if (has_ratio != has_rate) return;
  refuse_option(
      "lr_min_ratio", has_ratio ? "lr_min as well" : "none",
      has_ratio ? "one of the two" : "a value, or lr_min, for lr_scheduler_type " + options.lr_scheduler_type);
}

void check_last_rate(const TrainingOptions& options) {
  const double last = options.schedule.lr_end.value_or(kLastRate);
  if (last >= 0 && last < options.learning_rate) return;
  refuse_option("lr_end", to_text(last), "at least 0 and below learning_rate, " + to_text(options.learning_rate));
}

void check_warmup(const TrainingOptions& options) {
  const bool has_steps = options.warmup_steps.is_set(), has_ratio = options.warmup_ratio != 0;
  if (has_steps && has_ratio) refuse_option("warmup_ratio", "warmup_steps as well", "one of the two");
  const std::string& name = options.lr_scheduler_type;
  if ((name == "constant" || name == kReduceOnPlateau) && (has_steps || has_ratio)) {
    refuse_option(has_steps ? "warmup_steps" : "warmup_ratio", "a warm-up, with lr_scheduler_type " + name,
                  "a schedule with warm-up", name == "constant" ? "choose constant_with_warmup" : "");
  }
}

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const Schedule& schedule : schedules()) names.push_back(schedule.name);
  return names;
}

void check_schedule(const TrainingOptions& options) {
  const Schedule& schedule = schedule_of(options);
  check_parameters(schedule, options.schedule);
  check_warmup(options);
  if (schedule.name == "polynomial") check_last_rate(options);
  if (schedule.name == "cosine_with_min_lr") check_lowest_rate(options);
}

void require_no_plateau(const TrainingOptions& options, const char* given) {
  if (options.lr_scheduler_type != kReduceOnPlateau) return;
  refuse_option("lr_scheduler_type", std::string(kReduceOnPlateau) + ", with " + given,
                "validation data that fit() measures after steps or epochs");
}

int64_t warmup_steps(const TrainingOptions& options, int64_t total_steps) {
  return (options.warmup_ratio == 0 ? options.warmup_steps : StepInterval(options.warmup_ratio)).of(total_steps);
}

double scheduled(double peak, const TrainingOptions& options, const ScheduleMoment& at) {
  if (options.lr_scheduler_type == kReduceOnPlateau) return reduced(peak, options.schedule, at.reductions);
  const Moment moment{.done = static_cast<double>(at.step - 1),
                      .warmup = static_cast<double>(warmup_steps(options, at.total_steps)),
                      .total = static_cast<double>(at.total_steps),
                      .options = options};
  return peak * schedule_of(options).factor(moment);
}

bool depends_on_total_steps(const TrainingOptions& options) {
  return schedule_of(options).has_end || options.warmup_ratio > 0 || options.warmup_steps.is_part();
}

Tensor random_key(uint64_t seed, int64_t step) {
  const uint64_t key = split_mix_64(seed, static_cast<uint64_t>(step - 1));
  return Tensor({2}, {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

}  // namespace portatune::train
