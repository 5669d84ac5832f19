#include "portatune/cli/options/runs/sweep_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/runs/run_words.h"
#include "portatune/error.h"
#include "portatune/run/sweep/configurations.h"

namespace portatune::cli {
namespace {

using Settings = std::vector<run::TrialSetting>;

// Options of the sweep itself, which its trials do not have, or have otherwise.
const std::set<std::string> kOfSweep = {"--grid",
                                        "--seeds",
                                        "--random",
                                        "--halving",
                                        "--halving-factor",
                                        "--keep-models",
                                        "--output",
                                        "--overwrite-output",
                                        "--resume",
                                        "--seed",
                                        "--max-concurrent-runs"};

[[noreturn]] void refuse(const std::string& given, const std::string& expected) {
  throw UsageError({.where = "--grid", .given = given, .expected = expected});
}

std::vector<run::SweptOption> swept_options(const SweepArguments& a) {
  std::vector<run::SweptOption> options;
  for (const auto& [given, text] : a.grid) {
    const std::string option = own_name("fit", "--" + given), name = option.substr(2);
    if (kOfSweep.contains(option) || is_of_all_runs(option)) {
      refuse(given, "an option that may differ between trials");
    }
    if (std::ranges::find(options, name, &run::SweptOption::name) != options.end()) {
      refuse(name + " twice", "each option once");
    }
    options.push_back(run::swept_option(name, text));
  }
  return options;
}

}  // namespace

std::vector<Settings> configurations_of(const SweepArguments& a) {
  const std::vector<run::SweptOption> options = swept_options(a);
  return a.random > 0 ? run::random_configurations(options, a.random, a.fit.training.seed)
                      : run::all_configurations(options);
}

std::vector<std::string> words_of_trial(const SweepArguments& a, const Settings& settings, uint64_t seed,
                                        const std::string& name) {
  std::vector<std::string> words = words_of_run(a.fit, "sweep", [&](const std::string& option) {
    for (const auto& [axis, value] : settings) {
      if (option == "--" + axis) refuse(axis, option + " either there or on the command line");
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
      trials.push_back({settings, options_in(words_of_trial(a, settings, seed, name), a.fit.stop, models)});
      trials.back().options.max_concurrent_runs = a.fit.max_concurrent_runs;
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
