#include "portatune/cli/options/runs/run_words.h"

#include <utility>
#include <variant>

#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/model_arguments.h"
#include "portatune/cli/options/recipes/printed_config.h"
#include "portatune/cli/options/recipes/recipe_words.h"

namespace portatune::cli {

std::vector<std::string> words_of_run(const FitArguments& fit, const std::string& command,
                                      const std::function<bool(const std::string&)>& is_left_out) {
  std::vector<std::string> words = {"fit"};
  for (const run::GivenOption& option : fit.model.given) {
    if (option.place != command || is_left_out(option.name)) continue;
    for (const std::string& value : option.values) words.push_back(option.name + "=" + value);
  }
  return words;
}

bool is_of_all_runs(const std::string& option) {
  return is_of_device(option) || is_of_report(option) || option == "--hang-timeout" || option == kRecipeOption ||
         option == kPrintConfig;
}

run::RunOptions options_in(const std::vector<std::string>& words, const StopToken& stop,
                           std::set<std::filesystem::path>& models) {
  Command command = parse(words);
  FitArguments& fit = std::get<FitArguments>(command);
  fit.resume = fit.overwrite_output = false;  // the sweep or the run in stages decides, also about those of its recipe
  fit.reporting.quiet |= !models.insert(fit.model.folder).second;
  run::RunOptions options = std::get<FitArguments>(with_model_folders(std::move(command), words));
  options.stop = stop;
  return options;
}

}  // namespace portatune::cli
