#include "portatune/python/run_events.h"

#include <nanobind/nanobind.h>

#include "portatune/error.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

void refuse(const char* option, const char* expected) {
  throw UsageError({.where = option, .given = "a call from Python", .expected = expected});
}

}  // namespace

void refuse_hang_timeout(cli::HangTimeout timeout_s) {
  if (timeout_s) refuse("hang_timeout", "the command, as only it ends its process");
}

void require_one_run(const cli::FitArguments& a) {
  if (a.folds > 0) refuse("folds", "the function cross_validate()");
  if (!a.grow.empty()) refuse("grow", "the command, as this trains several models");
  refuse_hang_timeout(a.hang_timeout_s);
}

cli::FitArguments arguments_of_run(const Words& words) {
  cli::FitArguments a = arguments_of<cli::FitArguments>(words);
  require_one_run(a);
  return a;
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
