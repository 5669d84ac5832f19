// The runs of the command, as functions of its words that return its JSON.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>

#include "portatune/analysis/report/page.h"
#include "portatune/cli/options/names/own_words.h"
#include "portatune/cli/options/recipes/recipe.h"
#include "portatune/cli/options/runs/sweep_trials.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/error.h"
#include "portatune/metrics/direction.h"
#include "portatune/python/arguments.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"
#include "portatune/python/computed_metrics.h"
#include "portatune/python/freed_memory.h"
#include "portatune/python/row_map.h"
#include "portatune/python/run_events.h"
#include "portatune/python/training_calls.h"
#include "portatune/run.h"
#include "portatune/run/records/result_json.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// The reports of several runs, whose observer hears of each before it begins.
class EventsOfRuns final : public Events {
 public:
  // calls  must outlive this object; null: there is no observer
  EventsOfRuns(const cli::Reporting& reporting, TrainingCalls* calls) : Events(reporting), calls_(calls) {}

  void run_begins(const run::OneOfRuns& run) override {
    if (calls_ != nullptr) calls_->on_run_begin(run);
  }

 private:
  TrainingCalls* const calls_;
};

// Does work on another thread, where datasets have the rows that `map` makes, and evaluations the scores that
// `compute_metrics` computes.
// run  runs the work; CallingThread::run() by default
void work_with(nb::object map, const nb::object& compute_metrics, const std::function<void(CallingThread&)>& work,
               const std::function<void(CallingThread&, const std::function<void()>&)>& run = &CallingThread::run) {
  const KeptMemory memory;
  const RowMap row_map(std::move(map));
  CallingThread caller;
  run(caller, [&] {
    const RowMap::Calls calls_of_map(row_map, caller);
    const ComputedMetrics metrics(compute_metrics, caller);
    work(caller);
  });
}

// returns  the JSON of the outcome, and the checkpoint of a run that its observer has stopped
std::pair<std::optional<std::string>, std::string> fit(const Words& words, const nb::object& observer,
                                                       const nb::object& compute_metrics, nb::object map) {
  std::optional<run::Outcome> outcome;
  std::filesystem::path checkpoint;
  const auto train = [&](CallingThread& caller) {
    cli::FitArguments a = arguments_of_run(words);
    a.stop = caller.stop();
    Events events(a.reporting);
    const std::unique_ptr<TrainingCalls> calls = calls_of(observer, caller);
    outcome = run::fit(a, events, calls.get());
    checkpoint = events.checkpoint();
  };
  work_with(std::move(map), compute_metrics, train, [&](CallingThread& caller, const std::function<void()>& work) {
    run_naming_checkpoint(caller, work, checkpoint);
  });
  return {json_of(outcome), checkpoint.string()};
}

std::optional<std::string> cross_validate(const Words& words, const nb::object& observer,
                                          const nb::object& compute_metrics, nb::object map) {
  std::optional<run::FoldOutcome> outcome;
  work_with(std::move(map), compute_metrics, [&](CallingThread& caller) {
    auto a = arguments_of<cli::FitArguments>(words);
    a.stop = caller.stop();
    if (!compute_metrics.is_none()) a.max_concurrent_runs = 1;  // ComputedMetrics are those of this thread
    const std::unique_ptr<TrainingCalls> calls = calls_of(observer, caller);
    EventsOfRuns events(a.reporting, calls.get());
    outcome = run::cross_validate(a, events, calls.get());
  });
  return json_of(outcome);
}

std::optional<std::string> sweep(const Words& words, const nb::object& observer, const nb::object& compute_metrics,
                                 nb::object map) {
  std::optional<run::SweepOutcome> outcome;
  work_with(std::move(map), compute_metrics, [&](CallingThread& caller) {
    auto a = arguments_of<cli::SweepArguments>(words);
    refuse_hang_timeout(a.fit.hang_timeout_s);
    require_one_run(a.fit);
    a.fit.stop = caller.stop();
    run::SweepOptions options = cli::sweep_options(a);
    if (!compute_metrics.is_none()) options.trials.front().options.max_concurrent_runs = 1;
    const std::unique_ptr<TrainingCalls> calls = calls_of(observer, caller);
    EventsOfRuns events(a.fit.reporting, calls.get());
    outcome = run::sweep(options, events, calls.get());
  });
  return json_of(outcome);
}

std::string evaluate(const Words& words, const nb::object& compute_metrics, nb::object map) {
  std::string result;
  work_with(std::move(map), compute_metrics, [&](CallingThread& caller) {
    cli::EvaluateArguments a = arguments_of<cli::EvaluateArguments>(words);
    a.stop = caller.stop();
    cli::TerminalEvents events(a.reporting);
    result = run::json_of(run::evaluate(a, a.adapters, events));
  });
  return result;
}

void predict(const Words& words, nb::object map) {
  work_with(std::move(map), nb::none(), [&](CallingThread& caller) {
    cli::PredictArguments a = arguments_of<cli::PredictArguments>(words);
    a.stop = caller.stop();
    cli::TerminalEvents events(a.reporting);
    const std::vector<run::UsedModel> models = run::used_models(a.model.folder, a.adapters);
    if (models.size() > 1) {
      throw UsageError({.where = "adapter", .given = "several adapters", .expected = "one for each call of predict()"});
    }
    a.model.folder = models.front().folder;
    write_predictions(a.output, a.model, a.data, [&](const run::OpenSink& open) { run::predict(a, open, events); });
  });
}

std::string output_of(const std::string& recipe) {
  for (const cli::Setting& setting : cli::read_recipe(recipe).settings) {
    const std::string name = cli::with_hyphens("--" + setting.key);
    const bool is_output = name == "--output" || name == "--output-dir";
    if (is_output && !setting.values.empty()) return setting.values.front();
  }
  return {};
}

std::string report_page(const std::vector<std::filesystem::path>& folders) { return report::page_of(folders); }

}  // namespace

void bind_runs(nb::module_& module) {
  module.def("fit", fit, nb::arg("words"), nb::arg("observer").none(), nb::arg("compute_metrics").none(),
             nb::arg("map").none(), "Trains as `portatune fit` does.");
  module.def("output_of", output_of, nb::arg("recipe"), "The output that a recipe names; empty if it names none.");
  module.def("cross_validate", cross_validate, nb::arg("words"), nb::arg("observer").none(),
             nb::arg("compute_metrics").none(), nb::arg("map").none(),
             "The result as `portatune fit --folds --json` writes it; None: stopped.");
  module.def("evaluate", evaluate, nb::arg("words"), nb::arg("compute_metrics").none(), nb::arg("map").none(),
             "The scores as `portatune evaluate --json` writes them.");
  module.def("predict", predict, nb::arg("words"), nb::arg("map").none(),
             "Writes the file of predictions of `portatune predict`.");
  module.def("sweep", sweep, nb::arg("words"), nb::arg("observer").none(), nb::arg("compute_metrics").none(),
             nb::arg("map").none(), "The result as `portatune sweep --json` writes it; None: stopped.");
  module.def("is_lower_better", metrics::is_lower_better, nb::arg("score"),
             "Whether a lower value of a score is the better one.");
  module.def("report_page", report_page, nb::arg("folders"),
             nb::sig("def report_page(folders: collections.abc.Sequence[str | os.PathLike[str]]) -> str"),
             "The page of `portatune report`.");
}

}  // namespace portatune::python
