#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "portune/base/thread_pool.h"
#include "portune/data/stage.h"
#include "portune/data/tolerance.h"

namespace portune::data {
namespace {

using Function = std::function<Example(Example)>;

class SequentialMap final : public Iterator {
 public:
  SequentialMap(std::unique_ptr<Iterator> input, Function f, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), f_(std::move(f)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (auto example = input_->next()) {
      if (auto mapped = call_tolerantly(bad_rows_.get(), std::move(*example), f_)) return mapped;
    }
    return std::nullopt;
  }

  int64_t skip(int64_t count) override { return bad_rows_ ? Iterator::skip(count) : input_->skip(count); }

 private:
  std::unique_ptr<Iterator> input_;
  Function f_;
  std::shared_ptr<BadRows> bad_rows_;
};

// Hands blocks of examples to a pool and takes them back in their order. A few blocks are under way at any time, so
// that the pool works while the consumer does.
class ParallelMap final : public Iterator {
 public:
  ParallelMap(std::unique_ptr<Iterator> input, Function f, int threads, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), f_(std::move(f)), bad_rows_(std::move(bad_rows)), pool_(threads) {}

  ~ParallelMap() override { cancelled_ = true; }

  std::optional<Example> next() override {
    for (;;) {
      submit_blocks();
      if (blocks_.empty()) return std::nullopt;
      Block& block = blocks_.front();
      wait_for(block);
      while (block.taken < block.examples.size()) {
        Slot& slot = block.examples[block.taken++];
        if (!slot.error) return std::move(slot.example);
        // Here, so that rows are passed over in their order, whatever the threads do.
        call_tolerantly(bad_rows_.get(), slot.example,
                        [&](const Example&) -> bool { std::rethrow_exception(slot.error); });
      }
      const std::exception_ptr error = block.error;
      blocks_.pop_front();
      if (error) std::rethrow_exception(error);
    }
  }

  // What is under way already has been read from the input.
  int64_t skip(int64_t count) override {
    return blocks_.empty() && !bad_rows_ ? input_->skip(count) : Iterator::skip(count);
  }

 private:
  // Large enough to make the queue's cost small beside that of encoding a sentence.
  static constexpr size_t kBlockSize = 16;

  struct Slot {
    Example example;           // its origin alone if there is an error
    std::exception_ptr error;  // of the function
  };
  struct Block {
    std::vector<Slot> examples;
    std::exception_ptr error;  // of the input, after the examples
    size_t taken = 0;
    bool done = false;
  };

  void submit_blocks() {
    const size_t wanted = 2 * static_cast<size_t>(pool_.threads());
    while (!input_ended_ && blocks_.size() < wanted) {
      Block& block = blocks_.emplace_back();  // stays where it is until it is popped
      pull(block);
      pool_.submit([this, &block] { work_on(block); });
    }
  }

  void pull(Block& block) {
    try {
      while (block.examples.size() < kBlockSize) {
        auto example = input_->next();
        if (!example) {
          input_ended_ = true;
          return;
        }
        block.examples.push_back({std::move(*example), {}});
      }
    } catch (...) {
      block.error = std::current_exception();
      input_ended_ = true;
    }
  }

  void work_on(Block& block) {
    for (Slot& slot : block.examples) {
      if (cancelled_) break;
      Example origin(slot.example.origin());
      try {
        slot.example = call_on(std::move(slot.example), f_);
      } catch (...) {
        slot = {std::move(origin), std::current_exception()};
        if (!bad_rows_) break;  // nobody asks for what comes after it
      }
    }
    const std::lock_guard lock(mutex_);
    block.done = true;
    done_.notify_one();
  }

  void wait_for(const Block& block) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return block.done; });
  }

  std::unique_ptr<Iterator> input_;
  Function f_;
  std::shared_ptr<BadRows> bad_rows_;
  bool input_ended_ = false;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;  // guards Block::done, which hands a block back to the consumer
  std::condition_variable done_;
  std::deque<Block> blocks_;
  ThreadPool pool_;  // last, so that its tasks end before what they use
};

struct Map final : Stage {
  const StagePtr input;
  const Function f;
  const MapOptions options;
  Map(StagePtr input, Function f, MapOptions options) : input(std::move(input)), f(std::move(f)), options(options) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    if (options.threads == 1) return std::make_unique<SequentialMap>(input->iterate(pass), f, pass.bad_rows);
    return std::make_unique<ParallelMap>(input->iterate(pass), f, options.threads, pass.bad_rows);
  }
};

}  // namespace

Dataset Dataset::map(std::function<Example(Example)> f, MapOptions options) const {
  require_at_least("map", "threads", options.threads, 0);
  return Dataset(std::make_shared<Map>(stage_, std::move(f), options));
}

}  // namespace portune::data
