#include "portatune/python/run_events.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "portatune/cli/terminal/result_file.h"
#include "portatune/error.h"
#include "portatune/run/predictions/prediction_file.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

void refuse(const char* option, const char* expected) {
  throw UsageError({.where = option, .given = "a call from Python", .expected = expected});
}

// An interrupt of Ctrl-C has no text of its own. Tracebacks end with this one.
void name_checkpoint(const nb::handle& interrupt, const std::filesystem::path& checkpoint) {
  nb::setattr(interrupt, "checkpoint", nb::str(checkpoint.c_str()));
  if (checkpoint.empty() || nb::len(nb::object(interrupt.attr("args"))) > 0) return;
  const std::string text = "saved " + checkpoint.string() + "; the same call with output=\"" +
                           checkpoint.parent_path().string() + "\" and resume=True continues";
  nb::setattr(interrupt, "args", nb::make_tuple(nb::str(text.c_str())));
}

}  // namespace

void require_one_run(const cli::FitArguments& a) {
  if (a.folds > 0) refuse("folds", "the function cross_validate()");
  if (!a.grow.empty()) refuse("grow", "the command, as this trains several models");
}

cli::FitArguments arguments_of_run(const Words& words) {
  cli::FitArguments a = arguments_of<cli::FitArguments>(words);
  require_one_run(a);
  return a;
}

void write_predictions(const std::filesystem::path& output, const run::ModelOptions& model, const Words& inputs,
                       const std::function<void(const run::OpenSink&)>& predict) {
  std::optional<cli::ResultFile> file;
  predict([&](const RowTask& task, const data::Dataset& rows) {
    return run::prediction_file(output, model, task, rows,
                                [&]() -> run::TextOutput& { return file.emplace(output, inputs); });
  });
  file->finish();
}

void run_naming_checkpoint(CallingThread& caller, const std::function<void()>& work,
                           const std::filesystem::path& checkpoint) {
  try {
    caller.run(work);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) name_checkpoint(error.value(), checkpoint);
    throw;
  }
}

}  // namespace portatune::python
