// The environment variables that plugins read.
#pragma once

namespace portatune::pjrt {

/// Sets them to what suits Portatune, each unless it is set. To be called before a plugin is loaded: it reads them then.
void prepare_environment();

}  // namespace portatune::pjrt
