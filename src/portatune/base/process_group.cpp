#include "portatune/process_group.h"

#include <algorithm>
#include <numeric>

namespace portatune {

std::vector<int64_t> ProcessGroup::everyone() const {
  std::vector<int64_t> ranks(static_cast<size_t>(size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<uint64_t> ProcessGroup::all_gather(uint64_t number) {
  std::vector<uint64_t> all(static_cast<size_t>(size()));
  all_gather(everyone(), std::as_bytes(std::span(&number, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

bool is_first(const ProcessGroup* processes) { return processes == nullptr || processes->rank() == 0; }

bool in_any(ProcessGroup* processes, bool condition) {
  if (processes == nullptr) return condition;
  const std::vector<uint64_t> all = processes->all_gather(condition ? 1 : 0);
  return std::ranges::find(all, 1) != all.end();
}

std::optional<int64_t> first_with_another(ProcessGroup* processes, uint64_t number) {
  if (processes == nullptr) return {};
  const std::vector<uint64_t> all = processes->all_gather(number);
  const auto other = std::ranges::find_if(all, [&](uint64_t of_process) { return of_process != all[0]; });
  return other == all.end() ? std::nullopt : std::optional(other - all.begin());
}

void wait_for_all(ProcessGroup* processes) { in_any(processes, false); }

}  // namespace portatune
