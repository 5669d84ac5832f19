// By which the programs of several processes exchange arrays.
#pragma once

#include <memory>

#include "portatune/process_group.h"

namespace portatune::kernels {

/// Whose exchanges the handlers of collectives make from here on: XLA calls them with nothing but arrays. Null: none.
void set_process_group(std::shared_ptr<ProcessGroup> group);

}  // namespace portatune::kernels
