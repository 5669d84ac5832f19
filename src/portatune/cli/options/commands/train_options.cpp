// The options of fit, of other commands with training runs, and of those that make or show models and runs.
#include <CLI/CLI.hpp>

#include "portatune/cli/options/commands/add_options.h"
#include "portatune/cli/options/commands/fit_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/option_group.h"

namespace portatune::cli {

void add_options(CLI::App& command, FitArguments& a) {
  add_run_options(command, a);
  Group(command, "Training")
      .path("--grow", a.grow, "YAML file with a list of stages: sizes of the model, and options of its training")
      ->default_str("one stage");
}

void add_options(CLI::App& command, SweepArguments& a) {
  Group sweep(command, "Sweep, over the options of fit");
  sweep
      .assignments("--grid", a.grid,
                   "values of options: learning-rate=1e-5,3e-5; all combinations are tried. A range for --random: "
                   "learning-rate=1e-5..1e-4")
      ->default_str("none");
  sweep.number("--seeds", a.seeds, "trials of each configuration, with --seed and the numbers after it",
               {.lowest = 1, .highest = 1000});
  sweep
      .number("--random", a.random, "number of random configurations, in place of all combinations",
              {.lowest = 1, .highest = 1000})
      ->default_str("none");
  sweep.flag("--halving", a.halving, "end the worse configurations early (successive halving)");
  sweep.number("--halving-factor", a.halving_factor, "one in N configurations continues",
               {.lowest = 2, .highest = 100});
  sweep.flag("--keep-models", a.keep_models, "keep the models of all trials, not only the best");
  add_run_options(command, a.fit);
}

void add_options(CLI::App& command, PlanArguments& a) {
  Group plan(command, "Plan");
  plan.names("--on", a.on,
             "targets: cpu, tpu:v5e-8, cuda:h100x8, ...; one device of each is planned, alone or in --mesh")
      ->required();
  plan.path("--save", a.save, "a new folder for the compiled programs, for fit --compiled on that device")
      ->default_str("none");
  plan.flag("--largest-batch", a.largest_batch, "look for the largest batch that fits, by up to 12 compilations");
  OptionFields fields;
  fields("time_limit", a.time_limit, "seconds for each target; what is known by then is shown; 0: no limit",
         {.highest = 1e6, .default_help = "600; none with --save"});
  add_fields(command, std::move(fields).fields(), "Plan");
  add_run_options(command, a.fit);
  command.get_option("--train")->required(false)->default_str("none: one shape of batches is planned");
  command.get_option("--output")->required(false)->default_str("not used");
}

void add_options(CLI::App& command, ParityArguments& a) {
  Group transformers(command, "Against transformers");
  CLI::Option* reference = transformers.path(
      "--case", a.reference, "folder of a model with what transformers computed (docs/results/parity.md)");
  transformers.path("--dump", a.dump, "a folder for what Portatune computed: new, or of an earlier dump")
      ->default_str("none");
  constexpr const char* kRunAgainstItself = "A training run against itself on another setting, with the options of fit";
  Group runs(command, kRunAgainstItself);
  runs.text("--against", a.against, "how the second run differs: no-kernels; cuda,bfloat16; data=8; tensor=2; ...")
      ->type_name("SETTING")
      ->excludes(reference);
  runs.number("--steps", a.steps, "steps of both runs; never more than fit would make", {.lowest = 1, .highest = 1e6});
  runs.number("--every", a.every, "steps between comparisons of gradients and parameters", {.lowest = 1});
  OptionFields fields;
  fields("tolerance", a.tolerance, "what is allowed: that of runs of this type",
         {.choices = {{"float32"}, {"bfloat16"}}, .default_help = "the coarser one of the runs"});
  add_fields(command, std::move(fields).fields(), kRunAgainstItself);
  add_run_options(command, a.fit);
  for (const char* option : {"--model", "--train"}) command.get_option(option)->required(false);
  command.get_option("--output")->required(false)->default_str("not used");
}

void add_options(CLI::App& command, ReportArguments& a) {
  Group(command, "Runs").paths("run", a.runs, "output folders of portatune fit")->required();
  Group(command, "Output").path("--output", a.output, "the page; - is stdout")->default_str(a.output.string());
}

void add_options(CLI::App& command, GrowArguments& a) {
  Group(command, "Model")
      .path("--model", a.model, "folder of the small model, or its name on the Hugging Face Hub")
      ->required();
  add_fields(command, fields_of(a.growth));
  Group(command, "Output").path("--output", a.output, "a new folder for the larger model")->required();
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, MergeArguments& a) {
  Group group(command, "Merge");
  group.path("--model", a.model, "folder of an adapter, as fit --adapter or peft writes it")->required();
  group.path("--output", a.output, "a new folder for the model")->required();
  add_reporting(command, a.reporting, {"json", "quiet"}, "Merge");
}

void add_options(CLI::App& command, RecipesArguments& a) {
  Group options(command, "Options");
  options.text("name", a.name, "a recipe to show, or a file")->default_str("none");
  options.flag("--schema", a.schema, "print the JSON Schema of recipes, for editors");
  options.text("--command", a.name, "with --schema: the options of this command alone")->default_str("all");
}

}  // namespace portatune::cli
