#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "portune/base/thread_pool.h"
#include "portune/data/stage.h"
#include "portune/data/tfrecord_files.h"

namespace portune::data {
namespace {

// A few blocks of examples are read ahead from each of the files whose turn it is, a thread for each.
class ParallelReads final : public Iterator {
 public:
  ParallelReads(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                std::shared_ptr<BadRows> bad_rows)
      : files_(std::move(files)),
        bad_rows_(std::move(bad_rows)),
        deterministic_(deterministic),
        slots_(std::min(static_cast<size_t>(reads), files_->paths.size())),
        pool_(static_cast<int>(slots_.size())) {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) begin_next_file(slot);
  }

  ~ParallelReads() override { cancelled_ = true; }

  std::optional<Example> next() override {
    std::unique_lock lock(mutex_);
    while (Slot* slot = wait_for_slot(lock)) {
      if (auto example = take(*slot)) return example;
    }
    if (!found_any_) throw no_records(*files_);
    return std::nullopt;
  }

 private:
  // Small enough for many files of images, large enough to make the queue's cost small beside that of reading.
  static constexpr size_t kBlockExamples = 64;
  static constexpr int64_t kBlockBytes = 256 * 1024;
  static constexpr size_t kBlocks = 2;  // read ahead

  struct Block {
    std::vector<Example> examples;
    std::exception_ptr error;  // what would come after the examples
    bool is_last = false;      // of the file
    size_t taken = 0;
  };

  struct Slot {
    std::optional<size_t> file;  // none: all files have begun
    std::optional<TfrecordRows> rows;
    // Guarded by mutex_:
    std::deque<Block> blocks;
    bool is_reading = false;
    bool has_ended = false;  // whether the last block of the file has been read
  };

  // The slot whose turn it is, as soon as it has a block; null at the end.
  Slot* wait_for_slot(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      bool is_open = false;
      for (size_t looked_at = 0; looked_at < slots_.size(); ++looked_at) {
        Slot& slot = slots_[turn_];
        if (!slot.blocks.empty()) return &slot;
        is_open |= slot.file.has_value();
        if (deterministic_ && slot.file) break;  // its turn, whatever the others have
        pass_turn();
      }
      if (!is_open) return nullptr;
      ready_.wait(lock);
    }
  }

  // The slot's next example. Nothing where its file ends: the next file has its place from the next turn on.
  std::optional<Example> take(Slot& slot) {
    Block& block = slot.blocks.front();
    if (block.taken < block.examples.size()) {
      Example example = std::move(block.examples[block.taken++]);
      const bool is_used_up = block.taken == block.examples.size();
      if (is_used_up && !block.error && !block.is_last) drop_block(slot);
      if (deterministic_ || is_used_up) pass_turn();
      found_any_ = true;
      return example;
    }
    if (block.error) std::rethrow_exception(block.error);
    drop_block(slot);
    begin_next_file(slot);
    pass_turn();
    return std::nullopt;
  }

  void pass_turn() { turn_ = (turn_ + 1) % slots_.size(); }

  void drop_block(Slot& slot) {
    slot.blocks.pop_front();
    read_ahead(slot);
  }

  void begin_next_file(Slot& slot) {
    slot.rows.reset();
    slot.file.reset();
    slot.has_ended = false;
    if (next_file_ == files_->paths.size()) return;
    slot.file = next_file_++;
    read_ahead(slot);
  }

  void read_ahead(Slot& slot) {
    if (slot.is_reading || slot.has_ended || slot.blocks.size() >= kBlocks || cancelled_) return;
    slot.is_reading = true;
    pool_.submit([this, &slot] { read_block(slot); });
  }

  // A slot is read by one thread at a time, the one for which is_reading was set.
  void read_block(Slot& slot) {
    Block block;
    try {
      if (!slot.rows) slot.rows.emplace(files_, *slot.file, bad_rows_);
      fill(block, *slot.rows);
    } catch (...) {
      block.error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    slot.has_ended = block.is_last || block.error;
    slot.blocks.push_back(std::move(block));
    slot.is_reading = false;
    read_ahead(slot);
    ready_.notify_one();
  }

  void fill(Block& block, TfrecordRows& rows) {
    const int64_t begin = rows.position().offset;
    while (block.examples.size() < kBlockExamples && rows.position().offset - begin < kBlockBytes && !cancelled_) {
      auto example = rows.next();
      if (!example) {
        block.is_last = true;
        return;
      }
      block.examples.push_back(std::move(*example));
    }
  }

  std::shared_ptr<const TfrecordFiles> files_;
  const std::shared_ptr<BadRows> bad_rows_;
  const bool deterministic_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  size_t turn_ = 0, next_file_ = 0;
  bool found_any_ = false;
  ThreadPool pool_;  // last, so that its tasks end before what they use
};

}  // namespace

std::unique_ptr<Iterator> read_in_parallel(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                                           std::shared_ptr<BadRows> bad_rows) {
  return std::make_unique<ParallelReads>(std::move(files), reads, deterministic, std::move(bad_rows));
}

}  // namespace portune::data
