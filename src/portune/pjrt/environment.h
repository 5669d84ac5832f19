// The environment variables that plugins read.
#pragma once

namespace portune::pjrt {

/// Sets them to what suits Portune, each unless it is set. To be called before a plugin is loaded: it reads them then.
void prepare_environment();

}  // namespace portune::pjrt
