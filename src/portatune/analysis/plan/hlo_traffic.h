// Memory traffic of a compiled program.
#pragma once

#include <string_view>

namespace portatune::plan {

/// Bytes that operations read and write in the device's main memory: their operands and results, each once. Values
/// within a fusion stay in registers. Gathered (gather, dynamic-slice) or replaced parts count as such if they are
/// operations of their own. A loop counts in each iteration; one whose number of iterations is unknown counts once.
/// hlo     XLA's message HloModuleProto, after all of the compiler's passes
/// errors  UsageError for any other message
/// source  field numbers: openxla/xla, xla/service/hlo.proto and xla/xla_data.proto
double hlo_traffic(std::string_view hlo);

}  // namespace portatune::plan
