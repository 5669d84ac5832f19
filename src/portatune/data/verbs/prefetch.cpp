#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "portatune/base/threads/stop.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

class PrefetchIterator final : public Iterator {
 public:
  PrefetchIterator(std::unique_ptr<Iterator> input, int64_t capacity)
      : input_(std::move(input)), capacity_(static_cast<size_t>(capacity)) {}

  ~PrefetchIterator() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
  }

  std::optional<Example> next() override {
    if (!producer_.joinable()) {
      state_ = input_->state();
      producer_ = std::jthread(with_current_stop([this] { produce(); }));
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue_.empty() || ended_; });
    if (queue_.empty()) {
      if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      return std::nullopt;
    }
    Made made = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    changed_.notify_all();
    state_ = std::move(made.state_after);
    return std::move(made.example);
  }

  // Until the producer begins, the consumer may use the input.
  int64_t skip(int64_t count) override { return producer_.joinable() ? Iterator::skip(count) : input_->skip(count); }

  // The state of the input after the last element given, independent of elements read ahead.
  nlohmann::json state() const override { return producer_.joinable() ? state_ : input_->state(); }
  void restore(const nlohmann::json& state) override { input_->restore(state); }

 private:
  struct Made {
    Example example;
    nlohmann::json state_after;  // state of the input after the example
  };

  void produce() {
    std::exception_ptr error;
    try {
      while (auto example = input_->next()) {
        if (!push({std::move(*example), input_->state()})) return;
      }
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
    changed_.notify_all();
  }

  // Waits for room in the queue; false if the pass was ended.
  bool push(Made made) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.size() < capacity_ || stopping_; });
    if (stopping_) return false;
    queue_.push_back(std::move(made));
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  std::unique_ptr<Iterator> input_;  // used by the producer alone, once it has begun
  size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Made> queue_;
  std::exception_ptr error_;  // of the input; thrown after the queued examples
  bool ended_ = false;
  bool stopping_ = false;
  nlohmann::json state_;   // used by the consumer alone, not guarded
  std::jthread producer_;  // started by the first next(); last member: ends before the members that it uses
};

struct Prefetch final : Stage {
  const StagePtr input;
  const int64_t count;
  Prefetch(StagePtr input, int64_t count) : input(std::move(input)), count(count) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<PrefetchIterator>(input->iterate(pass), count);
  }
};

}  // namespace

Dataset Dataset::prefetch(int64_t count) const {
  require_at_least("prefetch", "count", count, 1);
  return Dataset(std::make_shared<Prefetch>(stage_, count));
}

}  // namespace portatune::data
