// A process group whose processes are threads of a test.
#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "portatune/process_group.h"

namespace portatune::test {

/// A process of a group that supports exchanges among all members.
class ThreadGroup final : public ProcessGroup {
 public:
  struct World {
    explicit World(int64_t size) : size(size), all_there(size), parts(static_cast<size_t>(size)) {}
    const int64_t size;
    std::barrier<> all_there;
    std::vector<std::vector<std::byte>> parts;

    // The world of the duplicates that the processes make at their call of this number.
    World& copy(size_t number) {
      const std::lock_guard lock(mutex);
      while (copies.size() <= number) copies.push_back(std::make_unique<World>(size));
      return *copies[number];
    }
    std::mutex mutex;
    std::vector<std::unique_ptr<World>> copies;
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
  void reduce_scatter(Members members, std::span<const float> x, std::span<float> part) override {
    std::vector<float> sum(x.size());
    all_reduce(members, x, sum);
    std::ranges::copy(std::span(sum).subspan(static_cast<size_t>(rank_) * part.size(), part.size()), part.begin());
  }
  std::shared_ptr<KeyValueStore> store() override { return nullptr; }
  std::shared_ptr<ProcessGroup> duplicate() override {
    return std::make_shared<ThreadGroup>(world_.copy(duplicates_++), rank_);
  }
  void abort(int) override { std::abort(); }

 private:
  World& world_;
  const int64_t rank_;
  size_t duplicates_ = 0;
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
