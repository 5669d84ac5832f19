// Exchange of arrays between the programs of several processes.
#pragma once

#include <memory>

#include "portatune/process_group.h"

namespace portatune::kernels {

/// Sets the process group of the collective handlers, which XLA calls only with arrays. Null: no group.
void set_process_group(std::shared_ptr<ProcessGroup> group);

}  // namespace portatune::kernels
