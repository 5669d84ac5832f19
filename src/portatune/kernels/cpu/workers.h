// Threads that a kernel may use while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace portatune::kernels {

/// Threads that the caller provides to a kernel. XLA provides its own pool, so that there is only one pool and no
/// oversubscription. The calling thread always works, too.
class Workers {
 public:
  virtual ~Workers() = default;
  /// Number of threads that share the work, including the caller's.
  virtual int threads() const = 0;
  /// Runs `task` on another thread, now or later.
  virtual void submit(std::function<void()> task) const = 0;
};

/// Only the caller's thread.
class CallerOnly final : public Workers {
 public:
  int threads() const override { return 1; }
  void submit(std::function<void()> task) const override { task(); }
};

/// Calls work(piece) once for every piece in [0, pieces), on the caller and on `workers`; returns when all have
/// finished, and rethrows the first error. The caller never waits for a task that has not begun, so that calls may be
/// nested and concurrent.
void parallel_for(const Workers& workers, int64_t pieces, const std::function<void(int64_t piece)>& work);

/// The same over consecutive ranges of at most `grain` elements that cover [0, count). With a grain that does not
/// depend on the number of threads, sums over ranges do not depend on it either.
void parallel_ranges(const Workers& workers, int64_t count, int64_t grain,
                     const std::function<void(int64_t begin, int64_t end)>& work);

/// Calls work(begin, end, sums) for such ranges, each with its own array of `width` zeros to add to, and returns the
/// sum of these arrays in the order of the ranges.
std::vector<float> parallel_sums(const Workers& workers, int64_t count, int64_t grain, int64_t width,
                                 const std::function<void(int64_t begin, int64_t end, float* sums)>& work);

}  // namespace portatune::kernels
