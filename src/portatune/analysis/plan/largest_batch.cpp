#include "portatune/analysis/plan/largest_batch.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace portatune::plan {
namespace {

constexpr int64_t kPrecision = 32;  // the result is within this part of the true size

class Search {
 public:
  Search(int64_t capacity, int64_t limit) : capacity_(capacity), limit_(limit) {}

  const LargestBatch& found() const { return found_; }
  bool is_done() const { return found_.fits == limit_ || upper() - found_.fits <= step(); }

  void learn(int64_t size, std::optional<int64_t> memory) {
    if (memory) points_.push_back({size, *memory});
    if (memory && *memory <= capacity_) {
      found_.fits = std::max(found_.fits, size);
    } else {
      found_.too_large = std::min(upper(), size);
    }
  }

  // A size between the known bounds. If a step above the size that fits does not fit, the search ends.
  int64_t next() const {
    const int64_t highest = upper() - 1, lowest = std::min(found_.fits + step(), highest);
    const std::optional<int64_t> predicted = prediction();
    if (predicted && *predicted <= highest) return std::max(*predicted, lowest);
    return std::clamp(found_.too_large ? (found_.fits + upper()) / 2 : 2 * found_.fits, lowest, highest);
  }

 private:
  struct Point {
    int64_t size, memory;
  };

  int64_t upper() const { return found_.too_large.value_or(limit_ + 1); }
  int64_t step() const { return std::max<int64_t>(1, found_.fits / kPrecision); }

  std::optional<int64_t> prediction() const {
    if (points_.size() < 2) return {};
    const Point &before = points_[points_.size() - 2], &last = points_.back();
    const double slope =
        static_cast<double>(last.memory - before.memory) / static_cast<double>(last.size - before.size);
    if (slope <= 0) return {};
    const double size = static_cast<double>(last.size) + static_cast<double>(capacity_ - last.memory) / slope;
    return static_cast<int64_t>(std::floor(std::clamp(size, 1.0, static_cast<double>(limit_))));
  }

  const int64_t capacity_, limit_;
  LargestBatch found_;
  std::vector<Point> points_;
};

}  // namespace

LargestBatch largest_batch(const MemoryOfBatch& memory, int64_t capacity, int64_t start, int64_t limit,
                           int compilations) {
  Search search(capacity, limit);
  int64_t size = std::min(start, limit);
  for (int i = 0; i < compilations; ++i) {
    search.learn(size, memory(size));
    if (search.is_done()) break;
    size = search.next();
  }
  return search.found();
}

}  // namespace portatune::plan
