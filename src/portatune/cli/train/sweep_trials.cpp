#include "portatune/cli/train/sweep_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "portatune/base/number.h"
#include "portatune/base/random.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/cli/train/run_words.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using Settings = std::vector<run::TrialSetting>;

constexpr size_t kMaxTrials = 10'000;

// Options of the sweep itself, which its trials do not have, or have otherwise.
const std::set<std::string> kOfSweep = {"--grid",           "--seeds",       "--random", "--halving",
                                        "--halving-factor", "--keep-models", "--output", "--overwrite-output",
                                        "--resume",         "--seed"};

struct Range {
  double low, high;
  bool is_whole;  // both ends are integers
};

// An option with its values, or with a range.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  std::optional<Range> range;
};

[[noreturn]] void refuse(const std::string& given, const std::string& expected) {
  throw UsageError({.where = "--grid", .given = given, .expected = expected});
}

std::optional<Range> range_in(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string low = text.substr(0, dots), high = text.substr(dots + 2);
  const auto from = number_in<double>(low), to = number_in<double>(high);
  if (!from || !to) return std::nullopt;  // a path such as ../rows.csv
  if (!(*from < *to) || *from < 0 || !std::isfinite(*to)) {
    refuse(text, "LOW..HIGH, two numbers from 0 on, the smaller one first");
  }
  return Range{*from, *to, number_in<int64_t>(low) && number_in<int64_t>(high)};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
}

std::vector<Axis> axes_of(const SweepArguments& a) {
  std::vector<Axis> axes;
  for (const auto& [given, text] : a.grid) {
    const std::string option = own_name("fit", "--" + given), name = option.substr(2);
    if (kOfSweep.contains(option) || is_of_all_runs(option)) {
      refuse(given, "an option that may differ between trials");
    }
    if (std::ranges::find(axes, name, &Axis::name) != axes.end()) refuse(name + " twice", "each option once");
    Axis axis{.name = name, .values = {}, .range = range_in(text)};
    if (!axis.range) axis.values = split(text);
    if (axis.range && a.random == 0) refuse(name + "=" + text, "a list of values, or --random N with a range");
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<Settings> combinations(const std::vector<Axis>& axes) {
  std::vector<Settings> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(settings);
        longer.back().emplace_back(axis.name, value);
      }
    }
    if (longer.size() > kMaxTrials) refuse(fmt::format("{} combinations", longer.size()), "fewer, or --random N");
    all = std::move(longer);
  }
  return all;
}

// The value at a part of the range, from 0 to 1: on a logarithmic scale, unless the range begins with 0.
std::string value_at(const Range& range, double part) {
  const double value = range.low > 0 ? range.low * std::pow(range.high / range.low, part) : range.high * part;
  return range.is_whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.3g}", value);
}

Settings random_settings(const std::vector<Axis>& axes, uint64_t seed, uint64_t draw) {
  Settings settings;
  for (const Axis& axis : axes) {
    const double part = fraction(split_mix_64(seed, draw * axes.size() + settings.size()));
    const auto index = static_cast<size_t>(part * static_cast<double>(axis.values.size()));
    settings.emplace_back(axis.name, axis.range ? value_at(*axis.range, part) : axis.values[index]);
  }
  return settings;
}

// Different configurations in the order in which they are drawn.
std::vector<Settings> random_configurations(const std::vector<Axis>& axes, const SweepArguments& a) {
  const auto count = static_cast<size_t>(a.random);
  std::vector<Settings> drawn;
  for (uint64_t draw = 0; draw < 100 * count && drawn.size() < count; ++draw) {
    Settings settings = random_settings(axes, a.fit.training.seed, draw);
    if (std::ranges::find(drawn, settings) == drawn.end()) drawn.push_back(std::move(settings));
  }
  if (drawn.size() == count) return drawn;
  throw UsageError({.where = "--random",
                    .given = std::to_string(count),
                    .expected = fmt::format("at most {}, as --grid has no more configurations", drawn.size())});
}

}  // namespace

std::vector<Settings> configurations_of(const SweepArguments& a) {
  const std::vector<Axis> axes = axes_of(a);
  return a.random > 0 ? random_configurations(axes, a) : combinations(axes);
}

std::vector<std::string> words_of_trial(const SweepArguments& a, const Settings& settings, uint64_t seed,
                                        const std::string& name) {
  std::vector<std::string> words = words_of_run(a.fit, "sweep", [&](const std::string& option) {
    for (const auto& [axis, value] : settings) {
      if (option == "--" + axis) refuse(axis, option + " only there, and not on the command line as well");
    }
    return kOfSweep.contains(option);
  });
  for (const auto& [axis, value] : settings) words.push_back(fmt::format("--{}={}", axis, value));
  words.push_back(fmt::format("--seed={}", seed));
  words.push_back("--output=" + (a.fit.output / name).string());
  return words;
}

std::vector<run::Trial> trials_of(const SweepArguments& a) {
  std::vector<run::Trial> trials;
  std::set<std::filesystem::path> models;
  for (const Settings& settings : configurations_of(a)) {
    for (int64_t i = 0; i < a.seeds; ++i) {
      const uint64_t seed = a.fit.training.seed + static_cast<uint64_t>(i);
      const std::string name = run::trial_name(trials.size());
      trials.push_back({settings, options_in(words_of_trial(a, settings, seed, name), models)});
    }
  }
  return trials;
}

run::SweepOptions sweep_options(const SweepArguments& a) {
  return {.trials = trials_of(a),
          .output = a.fit.output,
          .resume = a.fit.resume,
          .overwrite_output = a.fit.overwrite_output,
          .halving_factor = a.halving ? a.halving_factor : 0,
          .keep_models = a.keep_models};
}

}  // namespace portatune::cli
