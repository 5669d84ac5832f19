#include "portatune/io/file/mapping_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace portatune::io {

// Data that a signal handler may read: lock-free numbers at a fixed address.
struct GuardedPages {
  std::atomic<bool> is_taken = false, is_cut = false;
  std::atomic<uintptr_t> begin = 0, end = 0;  // both 0 while there is no mapping
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free);

namespace {

constexpr size_t kMaxMappings = 256;

std::array<GuardedPages, kMaxMappings> all_guarded;
struct sigaction previous_action;
uintptr_t page_bytes = 0;

GuardedPages* pages_at(uintptr_t address) {
  for (GuardedPages& pages : all_guarded) {
    if (pages.begin <= address && address < pages.end) return &pages;
  }
  return nullptr;
}

// Replaces the mapping by zeros from the faulting page to its end.
bool replace_by_zeros(GuardedPages& pages, uintptr_t address) {
  const uintptr_t begin = address / page_bytes * page_bytes;
  const size_t bytes = pages.end - begin;
  void* const address_of_page = reinterpret_cast<void*>(begin);
  pages.is_cut = true;
  return mmap(address_of_page, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  const int error_number = errno;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  GuardedPages* const pages = pages_at(address);
  // The fault occurs again and then reaches the previous handler.
  if (pages == nullptr || !replace_by_zeros(*pages, address)) sigaction(SIGBUS, &previous_action, nullptr);
  errno = error_number;
}

bool install_handler() {
  page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGBUS, &action, &previous_action) == 0;
}

}  // namespace

void ReleaseGuard::operator()(GuardedPages* pages) const {
  pages->end = 0;
  pages->begin = 0;
  pages->is_taken = false;
}

MappingGuard guard_mapping(std::span<const std::byte> pages) {
  static const bool is_installed = install_handler();
  if (!is_installed) return nullptr;
  for (GuardedPages& free : all_guarded) {
    if (free.is_taken.exchange(true)) continue;
    free.is_cut = false;
    free.begin = reinterpret_cast<uintptr_t>(pages.data());
    free.end = free.begin + (pages.size() + page_bytes - 1) / page_bytes * page_bytes;
    return MappingGuard(&free);
  }
  return nullptr;
}

bool was_cut(const GuardedPages& pages) { return pages.is_cut; }

}  // namespace portatune::io
