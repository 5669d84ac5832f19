// A process group whose processes are threads of a test.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "portatune/process_group.h"

namespace portatune::test {

/// A process of a group that supports all_gather() and all_reduce() among all members.
class ThreadGroup final : public ProcessGroup {
 public:
  struct World {
    explicit World(int64_t size) : size(size), all_there(size), parts(static_cast<size_t>(size)) {}
    const int64_t size;
    std::barrier<> all_there;
    std::vector<std::vector<std::byte>> parts;
    std::once_flag has_copy;
    std::unique_ptr<World> copy;  // of the duplicates
  };

  ThreadGroup(World& world, int64_t rank) : world_(world), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return world_.size; }
  using ProcessGroup::all_gather;
  void all_gather(Members, std::span<const std::byte> part, std::span<std::byte> whole) override {
    world_.parts[static_cast<size_t>(rank_)].assign(part.begin(), part.end());
    world_.all_there.arrive_and_wait();
    auto to = whole.begin();
    for (const auto& of_one : world_.parts) to = std::ranges::copy(of_one, to).out;
    world_.all_there.arrive_and_wait();
  }
  void all_reduce(Members members, std::span<const float> x, std::span<float> sum) override {
    std::vector<float> all(x.size() * members.size());
    all_gather(members, std::as_bytes(x), std::as_writable_bytes(std::span(all)));
    std::ranges::fill(sum, 0.0f);
    for (size_t i = 0; i < all.size(); ++i) sum[i % sum.size()] += all[i];
  }
  void reduce_scatter(Members, std::span<const float>, std::span<float>) override {
    throw std::logic_error("reduce_scatter");
  }
  std::shared_ptr<KeyValueStore> store() override { return nullptr; }
  std::shared_ptr<ProcessGroup> duplicate() override {
    std::call_once(world_.has_copy, [this] { world_.copy = std::make_unique<World>(world_.size); });
    return std::make_shared<ThreadGroup>(*world_.copy, rank_);
  }
  void abort(int) override { std::abort(); }

 private:
  World& world_;
  const int64_t rank_;
};

/// Runs `body` in `count` processes. It must not throw, because the others would wait for it.
inline void in_processes(int64_t count, const std::function<void(ProcessGroup&)>& body) {
  ThreadGroup::World world(count);
  std::vector<std::jthread> threads;
  for (int64_t rank = 0; rank < count; ++rank) {
    threads.emplace_back([&world, &body, rank] {
      ThreadGroup group(world, rank);
      body(group);
    });
  }
}

}  // namespace portatune::test
