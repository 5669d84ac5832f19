// Functions that every chat template has by name: range, dict, namespace, raise_exception, strftime_now.
#pragma once

#include "portatune/jinja/renderer.h"

namespace portatune::jinja {

void add_globals(Scope& scope);

}  // namespace portatune::jinja
