// The environment variables that plugins read.
#pragma once

namespace portatune::pjrt {

/// Sets the variables for Portatune, except those that are already set. Call it before loading a plugin, which reads
/// them then.
void prepare_environment();

}  // namespace portatune::pjrt
