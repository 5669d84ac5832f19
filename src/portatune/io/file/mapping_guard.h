// Protection against the truncation of mapped files: SIGBUS becomes an error that the reader can report.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace portatune::io {

struct GuardedPages;
struct ReleaseGuard {
  void operator()(GuardedPages* pages) const;
};

/// Guards the pages of a mapped file while it is held. Reading a page beyond the end of a truncated file returns zeros,
/// and was_cut() then returns true.
using MappingGuard = std::unique_ptr<GuardedPages, ReleaseGuard>;

/// Guards pages. The first call installs a handler of SIGBUS for the process, which forwards faults outside guarded
/// pages.
/// pages    a mapping that begins at a page, as mmap() returns it
/// returns  null if too many mappings are already guarded
MappingGuard guard_mapping(std::span<const std::byte> pages);
bool was_cut(const GuardedPages& pages);

}  // namespace portatune::io
