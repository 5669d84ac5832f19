// Exchange of arrays between the programs of several processes.
#pragma once

#include <cstdint>

namespace portatune::kernels {

/// The name of the data that executions pass to the collective kernels: a portatune::ProcessGroup.
inline constexpr const char* kProcessGroupType = "portatune.ProcessGroup";

/// Sets the number under which XLA knows this type.
void set_process_group_type(int64_t number);

}  // namespace portatune::kernels
