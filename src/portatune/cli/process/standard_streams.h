// The first step of main(): stdin, stdout and stderr are open, and a failed write to them is an error with a name.
#pragma once

namespace portatune::cli {

/// Opens the descriptors 0 to 2 where they are closed, so that no other file gets one of these numbers: log lines
/// would be written into it. Reading or writing them still fails, as with closed descriptors. Ignores SIGPIPE and
/// SIGXFSZ: a write to a pipe without a reader, or beyond the limit on file sizes, fails with an errno.
void prepare_standard_streams() noexcept;

}  // namespace portatune::cli
