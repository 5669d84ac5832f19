#include "portatune/kernels/cpu/search/top_k.h"

#include <algorithm>
#include <vector>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kBlock = 256;  // elements that are compared with the lowest of the best at once

struct Element {
  float value;
  int32_t index;
};

bool is_better(const Element& a, const Element& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

PORTATUNE_SIMD bool any_above(const float* x, int64_t size, float bound) {
  int32_t above = 0;
  for (int64_t i = 0; i < size; ++i) above |= x[i] > bound ? 1 : 0;
  return above != 0;
}

// The best elements of a row as a heap whose first element is the worst of them.
void find_best(const float* x, int64_t size, int64_t k, std::vector<Element>& best) {
  best.clear();
  for (int64_t i = 0; i < k; ++i) best.push_back({x[i], static_cast<int32_t>(i)});
  std::ranges::make_heap(best, is_better);
  for (int64_t begin = k; begin < size; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, size);
    if (!any_above(x + begin, end - begin, best.front().value)) continue;
    for (int64_t i = begin; i < end; ++i) {
      if (!(x[i] > best.front().value)) continue;
      std::ranges::pop_heap(best, is_better);
      best.back() = {x[i], static_cast<int32_t>(i)};
      std::ranges::push_heap(best, is_better);
    }
  }
  std::ranges::sort_heap(best, is_better);
}

}  // namespace

void top_k(const Workers& workers, int64_t rows, int64_t size, int64_t k, const float* x, float* values,
           int32_t* indices) {
  parallel_for(workers, rows, [&](int64_t row) {
    thread_local std::vector<Element> best;
    find_best(x + row * size, size, k, best);
    std::ranges::transform(best, values + row * k, &Element::value);
    std::ranges::transform(best, indices + row * k, &Element::index);
  });
}

}  // namespace portatune::kernels
