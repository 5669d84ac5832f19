#include "portatune/python/training_calls.h"

#include <nanobind/stl/string.h>

#include <exception>

namespace nb = nanobind;

namespace portatune::python {

template <class... Arguments>
void TrainingCalls::call(const char* function, const Arguments&... arguments) {
  caller_.call([&] {
    try {
      should_stop_ |= nb::cast<bool>(observer_.attr(function)(arguments...));
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      caller_.interrupt(std::current_exception());  // Ctrl-C saves a checkpoint also while Python runs
    }
  });
}

void TrainingCalls::on_ready(int64_t, int64_t, double) { call("on_ready"); }
void TrainingCalls::on_step(const StepResult& result, int64_t total_steps) {
  call("on_step", result.step(), total_steps);
}
void TrainingCalls::on_evaluation(int64_t step, double epoch, const Scores&) { call("on_evaluation", step, epoch); }
void TrainingCalls::on_epoch_end(int64_t epoch, double, const Scores&) { call("on_epoch_end", epoch); }
void TrainingCalls::on_checkpoint(const std::filesystem::path& folder) { call("on_checkpoint", folder.string()); }

}  // namespace portatune::python
