// Mapped files that another program cuts: SIGBUS becomes an error that the reader can report.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace portatune::io {

struct GuardedPages;
struct ReleaseGuard {
  void operator()(GuardedPages* pages) const;
};

/// Guards the pages of a mapped file while it is held. Reading a page behind the end of a file that was cut gives
/// zeros, and was_cut() says so.
using MappingGuard = std::unique_ptr<GuardedPages, ReleaseGuard>;

/// The first call installs a handler of SIGBUS for the process, which passes on what is not about guarded pages.
/// pages    begin at a page, as mmap() gives them
/// returns  null if too many mappings are guarded already
MappingGuard guard_mapping(std::span<const std::byte> pages);
bool was_cut(const GuardedPages& pages);

}  // namespace portatune::io
