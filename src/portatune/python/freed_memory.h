// The memory of a process after it has freed it.
#pragma once

namespace portatune::python {

/// From now on the C library keeps large freed blocks for the next allocation, and does not return them to the kernel
/// at once: a training step allocates the same blocks again, and the kernel would clear them in each step. Changes
/// nothing if an environment variable of malloc, such as MALLOC_TRIM_THRESHOLD_, has chosen otherwise, or with another
/// allocator.
void keep_freed_memory();

/// Returns the kept blocks to the kernel. For the end of a run.
void release_freed_memory();

}  // namespace portatune::python
