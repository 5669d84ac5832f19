#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "portune/base/thread_pool.h"
#include "portune/data/stage.h"
#include "portune/data/user_function.h"

namespace portune::data {
namespace {

using Function = std::function<Example(Example)>;

class SequentialMap final : public Iterator {
 public:
  SequentialMap(std::unique_ptr<Iterator> input, Function f) : input_(std::move(input)), f_(std::move(f)) {}

  std::optional<Example> next() override {
    auto example = input_->next();
    if (example) example = call_on(std::move(*example), f_);
    return example;
  }

  int64_t skip(int64_t count) override { return input_->skip(count); }

 private:
  std::unique_ptr<Iterator> input_;
  Function f_;
};

// Hands blocks of examples to a pool and takes them back in their order. A few blocks are under way at any time, so
// that the pool works while the consumer does.
class ParallelMap final : public Iterator {
 public:
  ParallelMap(std::unique_ptr<Iterator> input, Function f, int threads)
      : input_(std::move(input)), f_(std::move(f)), pool_(threads) {}

  ~ParallelMap() override { cancelled_ = true; }

  std::optional<Example> next() override {
    for (;;) {
      submit_blocks();
      if (blocks_.empty()) return std::nullopt;
      Block& block = blocks_.front();
      wait_for(block);
      if (block.taken < block.examples.size()) return std::move(block.examples[block.taken++]);
      const std::exception_ptr error = block.error;
      blocks_.pop_front();
      if (error) std::rethrow_exception(error);
    }
  }

  // What is under way already has been read from the input.
  int64_t skip(int64_t count) override { return blocks_.empty() ? input_->skip(count) : Iterator::skip(count); }

 private:
  // Large enough to make the queue's cost small beside that of encoding a sentence.
  static constexpr size_t kBlockSize = 16;

  struct Block {
    std::vector<Example> examples;
    std::exception_ptr error;  // what would come after the examples
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
        block.examples.push_back(std::move(*example));
      }
    } catch (...) {
      block.error = std::current_exception();
      input_ended_ = true;
    }
  }

  void work_on(Block& block) {
    size_t mapped = 0;
    try {
      for (; mapped < block.examples.size() && !cancelled_; ++mapped) {
        block.examples[mapped] = call_on(std::move(block.examples[mapped]), f_);
      }
    } catch (...) {
      block.error = std::current_exception();  // comes before an error of the input
      block.examples.erase(block.examples.begin() + static_cast<std::ptrdiff_t>(mapped), block.examples.end());
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
    if (options.threads == 1) return std::make_unique<SequentialMap>(input->iterate(pass), f);
    return std::make_unique<ParallelMap>(input->iterate(pass), f, options.threads);
  }
};

}  // namespace

Dataset Dataset::map(std::function<Example(Example)> f, MapOptions options) const {
  require_at_least("map", "threads", options.threads, 0);
  return Dataset(std::make_shared<Map>(stage_, std::move(f), options));
}

}  // namespace portune::data
