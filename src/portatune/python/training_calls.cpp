#include "portatune/python/training_calls.h"

#include <nanobind/stl/string.h>

#include "portatune/error.h"

namespace nb = nanobind;

namespace portatune::python {

template <class... Arguments>
void TrainingCalls::call(const char* function, const Arguments&... arguments) {
  try {
    caller_.call([&] { should_stop_ |= nb::cast<bool>(observer_.attr(function)(arguments...)); });
  } catch (const Stopped&) {  // The training ends after its next step, as at any other stop.
  }
}

void TrainingCalls::on_ready(int64_t, int64_t, double) { call("on_ready"); }
void TrainingCalls::on_step(const StepResult& result, int64_t total_steps) {
  call("on_step", result.step(), total_steps);
}
void TrainingCalls::on_evaluation(int64_t step, double epoch, const Scores&) { call("on_evaluation", step, epoch); }
void TrainingCalls::on_epoch_end(int64_t epoch, double, const Scores&) { call("on_epoch_end", epoch); }
void TrainingCalls::on_checkpoint(const std::filesystem::path& folder) { call("on_checkpoint", folder.string()); }

}  // namespace portatune::python
