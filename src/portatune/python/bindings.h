// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace portatune::python {

void bind_arrow_rows(nanobind::module_& module);
void bind_devices(nanobind::module_& module);
void bind_generation(nanobind::module_& module);
void bind_predictor(nanobind::module_& module);
void bind_runs(nanobind::module_& module);
void bind_tasks(nanobind::module_& module);
void bind_tokenizer(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_values(nanobind::module_& module);

}  // namespace portatune::python
