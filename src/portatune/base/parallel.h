// One piece of work for many threads.
#pragma once

#include <cstdint>
#include <functional>

namespace portatune {

/// Calls work(piece) for every piece in [0, pieces), each once, on the calling thread and in up to `helpers` tasks that
/// are handed to `submit`, which runs them now or later on whatever threads there are. Returns when all pieces are done
/// and rethrows the first error. The caller never waits for a task that has not begun, so calls may be nested and
/// concurrent.
void parallel_pieces(int64_t pieces, int64_t helpers, const std::function<void(std::function<void()>)>& submit,
                     const std::function<void(int64_t piece)>& work);

}  // namespace portatune
