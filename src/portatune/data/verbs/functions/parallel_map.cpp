#include "portatune/data/verbs/functions/parallel_map.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/data/order/rewindable.h"
#include "portatune/data/tolerance.h"

namespace portatune::data {
namespace {

// Maximal number of blocks for each thread by which examples may come early. A state lists the blocks between.
constexpr size_t kMaxAhead = 64;

// Submits blocks of examples to a pool and takes the results in order, or as they are done. A few blocks are in
// progress at any time, so that pool and consumer work concurrently.
class ParallelMap final : public Iterator {
 public:
  ParallelMap(std::unique_ptr<Iterator> input, NumberedFunction f, MapOptions options,
              std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)),
        f_(std::move(f)),
        bad_rows_(std::move(bad_rows)),
        ordered_(options.ordered),
        block_size_(options.block),
        pool_(options.threads) {}

  ~ParallelMap() override { cancelled_ = true; }

  std::optional<Example> next() override {
    for (;;) {
      submit_blocks();
      if (blocks_.empty()) return std::nullopt;
      Block& block = wait_for_block();
      if (block.taken == block.examples.size()) {
        finish(block);
      } else if (auto example = take(block.examples[block.taken++])) {
        return example;
      }
    }
  }

  // Blocks in progress have already been read from the input.
  int64_t skip(int64_t count) override {
    return blocks_.empty() && !bad_rows_ ? input_.skip(count) : Iterator::skip(count);
  }

  nlohmann::json state() const override {
    if (!ordered_) return {{"stage", kUnordered}, {"input", input_.position_of(first())}, {"taken", taken()}};
    const int64_t next = blocks_.empty() ? first() : number_of(blocks_.front(), blocks_.front().taken);
    return {{"stage", kMapStage}, {"input", input_.position_of(next)}};
  }

  void restore(const nlohmann::json& state) override {
    const SavedState saved(ordered_ ? kMapStage : kUnordered, state);
    input_.restore(saved, "input");
    if (!ordered_) read_again(saved);
  }

 private:
  static constexpr const char* kUnordered = "unordered map";

  struct Slot {
    Example example;           // has only its origin if there is an error
    std::exception_ptr error;  // thrown by the function
  };
  struct Block {
    int64_t first;  // index of its first example
    std::vector<Slot> examples;
    std::exception_ptr error;  // thrown by the input after the examples
    size_t taken = 0;
    bool done = false;   // all examples are mapped
    bool spent = false;  // all examples are given; waits for an earlier block
  };

  void submit_blocks() {
    const auto threads = static_cast<size_t>(pool_.threads());
    while (!input_ended_ && unspent_ < 2 * threads && blocks_.size() < kMaxAhead * threads) submit(pull());
  }

  void submit(Block& block) {
    ++unspent_;
    pool_.submit([this, &block] { work_on(block); });
  }

  Block& pull() {
    Block& block = blocks_.emplace_back(Block{.first = input_.taken()});  // its address stays valid until it is popped
    try {
      while (std::ssize(block.examples) < block_size_ && !input_ended_) {
        auto example = input_.next();
        input_ended_ = !example;
        if (example) block.examples.push_back({std::move(*example), {}});
      }
    } catch (...) {
      block.error = std::current_exception();
      input_ended_ = true;
    }
    return block;
  }

  void work_on(Block& block) {
    bool wanted = true;  // false after an error that ends the pass
    for (size_t i = block.taken; i < block.examples.size() && wanted && !cancelled_; ++i) {
      Slot& slot = block.examples[i];
      Example origin(slot.example.origin());
      try {
        slot.example = call_on(std::move(slot.example),
                               [&](Example example) { return f_(std::move(example), number_of(block, i)); });
      } catch (...) {
        slot = {std::move(origin), std::current_exception()};
        wanted = bad_rows_ != nullptr;
      }
    }
    const std::lock_guard lock(mutex_);
    block.done = true;
    done_.notify_one();
  }

  // The example of a slot, or nullopt for a skipped bad row. Called by the consumer, so that bad rows are skipped in
  // the order of the rows.
  std::optional<Example> take(Slot& slot) {
    if (!slot.error) return std::move(slot.example);
    const auto fail = [&](const Example&) -> Example { std::rethrow_exception(slot.error); };
    return call_tolerantly(bad_rows_.get(), slot.example, fail);
  }

  Block& wait_for_block() {
    Block* found = nullptr;
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return (found = find_block()) != nullptr; });
    return *found;
  }

  // The next block; null if it is not done.
  Block* find_block() {
    for (Block& block : blocks_) {
      if (block.done && !block.spent) return &block;
      if (ordered_) return nullptr;
    }
    return nullptr;
  }

  // Removes a block after all its examples have been given.
  void finish(Block& block) {
    const std::exception_ptr error = block.error;
    block.spent = true;
    --unspent_;
    drop_spent();
    if (error) std::rethrow_exception(error);
  }

  void drop_spent() {
    while (!blocks_.empty() && blocks_.front().spent) blocks_.pop_front();
    input_.release(first());
  }

  static int64_t number_of(const Block& block, size_t index) { return block.first + static_cast<int64_t>(index); }

  // Index of the first example that may not have been given.
  int64_t first() const { return blocks_.empty() ? input_.taken() : blocks_.front().first; }

  // Number of given examples of each block, up to the last block with one.
  std::vector<size_t> taken() const {
    std::vector<size_t> taken;
    for (const Block& block : blocks_) taken.push_back(block.taken);
    while (!taken.empty() && taken.back() == 0) taken.pop_back();
    return taken;
  }

  // Restores the blocks without their given examples.
  void read_again(const SavedState& saved) {
    for (const nlohmann::json& taken : saved.part("taken")) {
      Block& block = pull();
      if (!taken.is_number_unsigned() || taken.get<size_t>() > block.examples.size()) {
        saved.refuse("taken", "at most the number of examples of each block");
      }
      block.taken = taken.get<size_t>();
      block.spent = block.taken == block.examples.size() && !block.error;
      if (block.spent) {
        block.done = true;
      } else {
        submit(block);
      }
    }
    drop_spent();
  }

  RewindableInput input_;
  NumberedFunction f_;
  const std::shared_ptr<BadRows> bad_rows_;
  const bool ordered_;
  const int64_t block_size_;
  bool input_ended_ = false;
  size_t unspent_ = 0;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;  // guards Block::done, which returns a block to the consumer
  std::condition_variable done_;
  std::deque<Block> blocks_;
  ThreadPool pool_;  // last member: destroyed before the members that its tasks use
};

}  // namespace

void require_map_options(std::string_view verb, const MapOptions& options) {
  require_at_least(verb, "threads", options.threads, 0);
  require_at_least(verb, "block", options.block, 1);
}

std::unique_ptr<Iterator> parallel_map(std::unique_ptr<Iterator> input, NumberedFunction f, MapOptions options,
                                       std::shared_ptr<BadRows> bad_rows) {
  return std::make_unique<ParallelMap>(std::move(input), std::move(f), options, std::move(bad_rows));
}

}  // namespace portatune::data
