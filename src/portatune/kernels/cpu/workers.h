// Threads that a kernel may use while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace portatune::kernels {

/// Threads lent to a kernel by its caller: XLA's own pool when XLA calls, so that there is one pool and no
/// oversubscription. The calling thread always works too.
class Workers {
 public:
  virtual ~Workers() = default;
  /// How many threads, the caller's included, share the work.
  virtual int threads() const = 0;
  /// Runs `task` on another thread, now or later.
  virtual void submit(std::function<void()> task) const = 0;
};

/// No thread but the caller's.
class CallerOnly final : public Workers {
 public:
  int threads() const override { return 1; }
  void submit(std::function<void()> task) const override { task(); }
};

/// Calls work(piece) for every piece in [0, pieces), each once, on the caller and on `workers`; returns when all are
/// done and rethrows the first error. The caller never waits for a task that has not begun, so calls may be nested and
/// concurrent.
void parallel_for(const Workers& workers, int64_t pieces, const std::function<void(int64_t piece)>& work);

/// The same over consecutive ranges of at most `grain` items that cover [0, count). A grain that does not depend on the
/// number of threads makes sums over ranges independent of it as well.
void parallel_ranges(const Workers& workers, int64_t count, int64_t grain,
                     const std::function<void(int64_t begin, int64_t end)>& work);

/// Calls work(begin, end, sums) for such ranges, each with `width` zeros of its own to add to, and returns the sum of
/// these arrays, taken in the order of the ranges.
std::vector<float> parallel_sums(const Workers& workers, int64_t count, int64_t grain, int64_t width,
                                 const std::function<void(int64_t begin, int64_t end, float* sums)>& work);

}  // namespace portatune::kernels
