#include "portatune/train/checkpoint/host_copies.h"

#include <new>
#include <utility>

#include "portatune/base/threads/thread_pool.h"

namespace portatune::train {
namespace {

// If no thread can be started, get() allocates the memory.
auto allocate(const std::vector<TensorType>& types, const std::vector<bool>& is_kept) {
  return std::async(std::launch::async | std::launch::deferred, [types, is_kept] {
    std::vector<std::shared_ptr<Tensor>> memory(types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      if (is_kept[i]) memory[i] = std::make_shared<Tensor>(types[i]);  // zeros: uses every page
    }
    return memory;
  });
}

}  // namespace

HostCopies::HostCopies(const std::vector<TensorType>& types)
    : is_shared_(false), allocated_(allocate(types, std::vector<bool>(types.size(), true))) {}

HostCopies::HostCopies(const std::vector<TensorType>& types, const std::vector<bool>& is_kept)
    : is_shared_(true), allocated_(allocate(types, is_kept)) {}

bool HostCopies::is_allocated() {
  if (!allocated_.valid()) return true;
  try {
    memory_ = allocated_.get();
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void HostCopies::copy_array(NamedArray& array, const std::shared_ptr<Tensor>& memory) const {
  if (!memory) {
    if (array.is_divided) array.to_host({});  // for the process that keeps it
  } else {
    *memory = array.to_host(std::move(*memory));
    array.copy = memory;
  }
  array.is_divided = false;
}

void HostCopies::copy(const std::vector<NamedArray*>& arrays) {
  std::vector<size_t> local;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (is_shared_ && arrays[i]->is_divided) {
      copy_array(*arrays[i], memory_[i]);  // in the same order in all processes
    } else {
      local.push_back(i);
    }
  }
  ThreadPool pool;
  pool.parallel_for(std::ssize(local), 1, [&](int64_t begin, int64_t) {
    const size_t i = local[static_cast<size_t>(begin)];
    copy_array(*arrays[i], memory_[i]);
  });
}

}  // namespace portatune::train
