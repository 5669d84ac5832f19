// Freed memory of the process.
#pragma once

namespace portatune::python {

/// The memory of a run. From the first object on, the C library keeps large freed blocks for the next allocation, and
/// does not return them to the kernel at once: a training step allocates the same blocks again, and the kernel would
/// clear them in each step. The end of each object returns them. Changes nothing if an environment variable of malloc,
/// such as MALLOC_TRIM_THRESHOLD_, has chosen otherwise, or with another allocator.
class KeptMemory {
 public:
  KeptMemory();
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
};

}  // namespace portatune::python
