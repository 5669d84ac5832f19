// What a compiled program moves to and from memory.
#pragma once

#include <string_view>

namespace portatune::plan {

/// Bytes that operations read and write in the device's main memory: their operands and results, each once; what is
/// within a fusion stays in registers. Parts that are looked up (gather, dynamic-slice) or replaced count as such where
/// they are operations of their own.
struct Traffic {
  double once = 0;      ///< of the operations of the entry computation but its loops
  double of_round = 0;  ///< each time that all of its loops, and those within them, go round
};

/// hlo     XLA's message HloModuleProto, after all of the compiler's passes
/// errors  UsageError for what is no such message
/// source  field numbers: openxla/xla, xla/service/hlo.proto and xla/xla_data.proto
Traffic hlo_traffic(std::string_view hlo);

}  // namespace portatune::plan
