// Memory traffic of a compiled program.
#pragma once

#include <string_view>

namespace portatune::plan {

/// Bytes that operations read and write in the device's main memory: their operands and results, each once. Values
/// within a fusion stay in registers. Gathered (gather, dynamic-slice) or replaced parts count as such if they are
/// operations of their own.
struct Traffic {
  double once = 0;      ///< traffic of the entry computation without its loops
  double of_round = 0;  ///< traffic of one iteration of all its loops, nested loops included
};

/// hlo     XLA's message HloModuleProto, after all of the compiler's passes
/// errors  UsageError for any other message
/// source  field numbers: openxla/xla, xla/service/hlo.proto and xla/xla_data.proto
Traffic hlo_traffic(std::string_view hlo);

}  // namespace portatune::plan
