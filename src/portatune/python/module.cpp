// The Python module portatune.lib._core. The package portatune has the functions for users, which call it.
#include <nanobind/stl/string.h>

#include <string>

#include "portatune/base/version.h"
#include "portatune/python/bindings.h"
#include "portatune/python/errors.h"

NB_MODULE(_core, module) {
  using namespace portatune::python;
  nanobind::set_leak_warnings(false);  // objects may live until the interpreter has ended
  module.attr("__version__") = std::string(portatune::version());
  register_errors();
  bind_arrow_rows(module);
  bind_devices(module);
  bind_generation(module);
  bind_predictor(module);
  bind_runs(module);
  bind_training(module);
  bind_values(module);
  bind_tasks(module);
  bind_tokenizer(module);
}
