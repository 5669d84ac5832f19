#include "portatune/python/run_events.h"

#include <nanobind/nanobind.h>

#include <optional>

#include "portatune/cli/terminal/result_file.h"
#include "portatune/error.h"
#include "portatune/run/predictions/prediction_file.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

void refuse(const char* option, const char* expected) {
  throw UsageError({.where = option, .given = "a call from Python", .expected = expected});
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

void write_predictions(const std::filesystem::path& output, const run::ModelOptions& model,
                       const std::function<void(const run::OpenSink&)>& predict) {
  std::optional<cli::ResultFile> file;
  predict([&](const RowTask& task, const data::Dataset& rows) {
    return run::prediction_file(output, model, task, rows, [&]() -> run::TextOutput& { return file.emplace(output); });
  });
  file->finish();
}

void run_naming_checkpoint(CallingThread& caller, const std::function<void()>& work,
                           const std::filesystem::path& checkpoint) {
  try {
    caller.run(work);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) nb::setattr(error.value(), "checkpoint", nb::str(checkpoint.c_str()));
    throw;
  }
}

}  // namespace portatune::python
