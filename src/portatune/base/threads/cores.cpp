#include "portatune/base/threads/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "portatune/base/control_groups.h"

namespace portatune {
namespace {

// A set of the cores from 0 to `known` - 1.
class CoreSet {
 public:
  explicit CoreSet(int known) : known_(known), set_(CPU_ALLOC(known)) {
    if (set_) CPU_ZERO_S(size(), set_.get());
  }

  // Returns false if the system has more cores.
  bool read() { return set_ && sched_getaffinity(kCallingThread, size(), set_.get()) == 0; }
  void add(int core) { CPU_SET_S(core, size(), set_.get()); }
  void apply() const { sched_setaffinity(kCallingThread, size(), set_.get()); }

  std::vector<int> numbers() const {
    std::vector<int> numbers;
    for (int core = 0; core < known_; ++core) {
      if (CPU_ISSET_S(core, size(), set_.get())) numbers.push_back(core);
    }
    return numbers;
  }

 private:
  static constexpr pid_t kCallingThread = 0;
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };

  size_t size() const { return CPU_ALLOC_SIZE(known_); }

  const int known_;
  const std::unique_ptr<cpu_set_t, Free> set_;
};

int allowed_count() {
  const auto cores = static_cast<int>(allowed_cores().size());
  return cores > 0 ? cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Read once, as programs are compiled for this number.
int cores_of_quota() {
  static const std::optional<double> quota = cpu_quota();
  constexpr double kMost = std::numeric_limits<int>::max();
  return quota ? static_cast<int>(std::ceil(std::min(*quota, kMost))) : std::numeric_limits<int>::max();
}

}  // namespace

int usable_cores() { return std::min(allowed_count(), cores_of_quota()); }

std::vector<int> allowed_cores() {
  for (int known = CPU_SETSIZE; known <= 1 << 20; known *= 2) {  // the kernel refuses a set that is too small
    if (CoreSet cores(known); cores.read()) return cores.numbers();
  }
  return {};
}

void limit_to_cores(std::span<const int> cores) {
  if (cores.empty()) return;
  CoreSet set(std::max(CPU_SETSIZE, std::ranges::max(cores) + 1));
  for (const int core : cores) set.add(core);
  set.apply();
}

}  // namespace portatune
