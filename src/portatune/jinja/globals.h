// The global functions of chat templates: range, dict, namespace, raise_exception, strftime_now.
#pragma once

#include "portatune/jinja/renderer.h"

namespace portatune::jinja {

void add_globals(Scope& scope);

}  // namespace portatune::jinja
