// Functions that every chat template has by name: range, dict, namespace, raise_exception, strftime_now.
#pragma once

#include "portune/jinja/renderer.h"

namespace portune::jinja {

void add_globals(Scope& scope);

}  // namespace portune::jinja
