#include "portatune/train/checkpoint/host_copies.h"

#include <utility>

#include "portatune/base/thread_pool.h"

namespace portatune::train {

HostCopies::HostCopies(const std::vector<TensorType>& types) {
  // If no thread can be started, get() allocates the memory in copy().
  allocated_ = std::async(std::launch::async | std::launch::deferred, [types] {
    Memory memory;
    for (const TensorType& type : types) memory.push_back(std::make_shared<Tensor>(type));  // zeros: uses every page
    return memory;
  });
}

void HostCopies::copy(const std::vector<NamedArray*>& arrays) {
  if (allocated_.valid()) memory_ = allocated_.get();
  ThreadPool pool;
  pool.parallel_for(std::ssize(arrays), 1, [&](int64_t begin, int64_t) {
    const auto i = static_cast<size_t>(begin);
    *memory_[i] = arrays[i]->to_host(std::move(*memory_[i]));
    arrays[i]->copy = memory_[i];
  });
}

}  // namespace portatune::train
