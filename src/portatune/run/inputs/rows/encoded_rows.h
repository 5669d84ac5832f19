// The encoded rows that several runs share.
#pragma once

#include <cstdint>
#include <memory>

#include "portatune/data/example_memory.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// Most bytes of encoded rows that the runs of a sweep or of a cross-validation keep in memory.
inline constexpr int64_t kMaxEncodedRows = 512 << 20;

/// Lets a task that encodes texts keep its examples in `memory`; other tasks stay as they are. To be called before the
/// task makes batches.
void keep_encoded_rows(RowTask& task, const std::shared_ptr<data::ExampleMemory>& memory);

}  // namespace portatune::run
