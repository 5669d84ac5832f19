#include "portatune/data/tfrecord/tfrecord_parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::data {
namespace {

// Reads a few blocks of examples ahead from each open file, with one thread for each file.
class ParallelReads final : public Iterator {
 public:
  ParallelReads(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                std::shared_ptr<BadRows> bad_rows)
      : files_(std::move(files)),
        bad_rows_(std::move(bad_rows)),
        deterministic_(deterministic),
        same_files_(files_->texts_of_paths()),
        slots_(std::min(static_cast<size_t>(reads), files_->paths.size())),
        pool_(static_cast<int>(slots_.size())) {}

  ~ParallelReads() override { cancelled_ = true; }

  std::optional<Example> next() override {
    std::unique_lock lock(mutex_);
    begin();
    while (Slot* slot = wait_for_slot(lock)) {
      if (auto example = take(*slot)) return example;
    }
    if (!found_any_ && !bad_rows_) throw no_records(*files_);
    return std::nullopt;
  }

  nlohmann::json state() const override {
    const std::lock_guard lock(mutex_);
    nlohmann::json slots = nlohmann::json::array();
    for (const Slot& slot : slots_) {
      slots.push_back({{"stage", kReadTfrecord},
                       {"file", slot.file ? *slot.file : files_->paths.size()},
                       {"position", state_of(slot.next)}});
    }
    return {{"stage", kReadTfrecord}, {"fingerprints", same_files_.fingerprints()},
            {"slots", slots},         {"begun", has_begun_},
            {"turn", turn_},          {"next_file", next_file_},
            {"found", found_any_}};
  }

  void restore(const nlohmann::json& state) override {
    const SavedState saved(kReadTfrecord, state);
    same_files_.require(saved);
    const nlohmann::json& slots = saved.part("slots");
    if (!slots.is_array() || slots.size() != slots_.size()) {
      saved.refuse("slots", std::to_string(slots_.size()) + " parallel files");
    }
    const std::lock_guard lock(mutex_);
    turn_ = static_cast<size_t>(saved.count("turn", std::ssize(slots_) - 1));
    next_file_ = static_cast<size_t>(saved.count("next_file", std::ssize(files_->paths)));
    found_any_ = saved.flag("found");
    has_begun_ = saved.flag("begun");
    if (!has_begun_) return;
    for (size_t i = 0; i < slots_.size(); ++i) restore(slots_[i], SavedState(kReadTfrecord, slots[i]));
  }

 private:
  // Small enough for many files of images, large enough to make the cost of the queue small compared with reading.
  static constexpr size_t kBlockExamples = 64;
  static constexpr int64_t kBlockBytes = 256 * 1024;
  static constexpr size_t kBlocks = 2;  // blocks read ahead

  struct Read {
    Example example;
    std::exception_ptr fault;  // error of a bad record, in place of an example
    io::RecordPosition end;    // end of the record
  };
  struct Block {
    std::vector<Read> records;
    std::exception_ptr error;  // error after the records
    bool is_last = false;      // whether this is the last block of the file
    size_t taken = 0;
  };

  struct Slot {
    std::optional<size_t> file;  // nullopt: no file is left
    io::RecordPosition begin;    // position in the file to begin at
    io::RecordPosition next;     // position of the consumer's next record
    std::optional<TfrecordFile> records;
    // Guarded by mutex_:
    std::deque<Block> blocks;
    bool is_reading = false;
    bool has_ended = false;  // whether the last block of the file has been read
  };

  void begin() {
    if (std::exchange(has_begun_, true)) return;
    for (Slot& slot : slots_) begin_next_file(slot);
  }

  void restore(Slot& slot, const SavedState& saved) {
    const auto file = static_cast<size_t>(saved.count("file", std::ssize(files_->paths)));
    if (file == files_->paths.size()) return;
    slot.file = file;
    slot.begin = slot.next = record_position_in(saved.part("position"));
    read_ahead(slot);
  }

  // The slot whose turn it is, as soon as it has a block; null at the end.
  Slot* wait_for_slot(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      bool is_open = false;
      for (size_t looked_at = 0; looked_at < slots_.size(); ++looked_at) {
        Slot& slot = slots_[turn_];
        if (!slot.blocks.empty()) return &slot;
        is_open |= slot.file.has_value();
        if (deterministic_ && slot.file) break;  // waits for this slot, even if others have blocks
        next_turn();
      }
      if (!is_open) return nullptr;
      ready_.wait(lock);
    }
  }

  // The slot's next example. Nullopt for a bad record, after which it is the slot's turn again; and at the end of a
  // file, which the next file replaces from the next turn.
  std::optional<Example> take(Slot& slot) {
    Block& block = slot.blocks.front();
    if (block.taken < block.records.size()) {
      Read read = std::move(block.records[block.taken++]);
      slot.next = read.end;
      found_any_ = true;  // also for a skipped record
      const bool is_used_up = block.taken == block.records.size();
      if (is_used_up && !block.error && !block.is_last) drop_block(slot);
      if (read.fault) {
        skip_fault(read.fault);
        return std::nullopt;
      }
      if (deterministic_ || is_used_up) next_turn();
      return std::move(read.example);
    }
    if (block.error) std::rethrow_exception(block.error);
    drop_block(slot);
    begin_next_file(slot);
    next_turn();
    return std::nullopt;
  }

  // Called by the consumer and not by the reading threads, so that bad rows are skipped in the order of the examples.
  void skip_fault(const std::exception_ptr& fault) const {
    try {
      std::rethrow_exception(fault);
    } catch (const io::BadRecordError& error) {
      skip_bad_row(bad_rows_.get(), error);
    }
  }

  void next_turn() { turn_ = (turn_ + 1) % slots_.size(); }

  void drop_block(Slot& slot) {
    slot.blocks.pop_front();
    read_ahead(slot);
  }

  void begin_next_file(Slot& slot) {
    slot.records.reset();
    slot.file.reset();
    slot.begin = slot.next = {};
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

  // Reads one block. Only one thread reads a slot at a time, because is_reading is set.
  void read_block(Slot& slot) {
    Block block;
    try {
      if (!slot.records) open(slot);
      fill(block, *slot.records);
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

  void open(Slot& slot) const {
    slot.records.emplace(files_, *slot.file);
    slot.records->seek(slot.begin);
  }

  void fill(Block& block, TfrecordFile& records) const {
    io::TfExample parser;
    const int64_t begin = records.position().offset;
    while (block.records.size() < kBlockExamples && records.position().offset - begin < kBlockBytes && !cancelled_) {
      Read read;
      try {
        std::optional<Example> example = records.next(parser);
        block.is_last = !example;
        if (!example) return;
        read.example = std::move(*example);
      } catch (const io::BadRecordError&) {
        if (!bad_rows_) throw;
        read.fault = std::current_exception();
      }
      read.end = records.position();
      block.records.push_back(std::move(read));
    }
  }

  std::shared_ptr<const TfrecordFiles> files_;
  const std::shared_ptr<BadRows> bad_rows_;
  const bool deterministic_;
  std::atomic<bool> cancelled_ = false;
  SameFiles same_files_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Slot> slots_;
  size_t turn_ = 0, next_file_ = 0;
  bool has_begun_ = false, found_any_ = false;
  ThreadPool pool_;  // last member: destroyed before the members that its tasks use
};

}  // namespace

std::unique_ptr<Iterator> read_in_parallel(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                                           std::shared_ptr<BadRows> bad_rows) {
  return std::make_unique<ParallelReads>(std::move(files), reads, deterministic, std::move(bad_rows));
}

}  // namespace portatune::data
