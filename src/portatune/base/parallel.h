// A parallel loop.
#pragma once

#include <cstdint>
#include <functional>

namespace portatune {

/// Calls work(piece) once for every piece in [0, pieces), on the calling thread and in up to `helpers` tasks. `submit`
/// runs these tasks now or later on any threads. Returns when all pieces are done and rethrows the first error. The
/// caller never waits for a task that has not begun, so calls may be nested and concurrent.
void parallel_pieces(int64_t pieces, int64_t helpers, const std::function<void(std::function<void()>)>& submit,
                     const std::function<void(int64_t piece)>& work);

}  // namespace portatune
