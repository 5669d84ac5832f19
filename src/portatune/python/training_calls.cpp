#include "portatune/python/training_calls.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <tuple>

#include "portatune/error.h"

namespace nb = nanobind;

namespace portatune::python {

using Flags = std::tuple<bool, bool, bool, bool, bool>;

template <class... Arguments>
void TrainingCalls::call(const char* function, const Arguments&... arguments) {
  try {
    caller_.call([&] {
      const auto [stop, log, evaluate, save, end_epoch] = nb::cast<Flags>(observer_.attr(function)(arguments...));
      should_stop_ |= stop;
      requests_ = {.log = log, .evaluate = evaluate, .save = save, .end_epoch = end_epoch};
      waits_for_steps_ = nb::cast<bool>(observer_.attr("waits_for_steps"));
    });
  } catch (const Stopped&) {  // The training ends after its next step, as at any other stop.
  }
}

void TrainingCalls::on_begin(const FitBegin& begin) {
  call("on_begin", begin.steps, begin.total_steps, begin.steps_per_epoch, begin.omitted_steps, begin.deciding_score,
       begin.greater_is_better);
}
void TrainingCalls::on_step(const StepResult& result, int64_t) { call("on_step", result.step()); }
void TrainingCalls::on_evaluation(int64_t step, double epoch, const Scores&) { call("on_evaluation", step, epoch); }
void TrainingCalls::on_epoch_end(double epoch, double, const Scores&) { call("on_epoch_end", epoch); }
void TrainingCalls::on_checkpoint(const std::filesystem::path& folder) { call("on_checkpoint", folder.string()); }
void TrainingCalls::on_log_request() { call("on_log_request"); }
void TrainingCalls::on_run_begin(const run::OneOfRuns& run) {
  call("on_run_begin", run.number, run.output.string(),
       std::map<std::string, std::string>(run.settings.begin(), run.settings.end()));
}

std::unique_ptr<TrainingCalls> calls_of(const nb::object& observer, CallingThread& caller) {
  return observer.is_none() ? nullptr : std::make_unique<TrainingCalls>(observer, caller);
}

}  // namespace portatune::python
