#include "portatune/data/order/buffered_shuffle.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "portatune/data/order/rewindable.h"

namespace portatune::data {
namespace {

// Random draws from a shuffle buffer. Their order does not depend on the items. With a buffer that holds all examples
// this is the shuffle of Fisher and Yates.
template <class Item>
class Buffer {
 public:
  Buffer(int64_t capacity, Random random) : capacity_(static_cast<size_t>(capacity)), random_(random) {}

  bool is_full() const { return items_.size() >= capacity_; }
  bool is_empty() const { return items_.empty(); }
  void put(Item item) { items_.push_back(std::move(item)); }
  Item draw() {
    std::swap(items_[random_.below(items_.size())], items_.back());
    Item drawn = std::move(items_.back());
    items_.pop_back();
    return drawn;
  }

  std::vector<Item>& items() { return items_; }
  const Random& random() const { return random_; }

 private:
  size_t capacity_;
  Random random_;
  std::vector<Item> items_;
};

// The state has the number of drawn examples, and the position from which the input must be read again to refill the
// buffer. The random numbers determine which examples the buffer holds, independently of their content.
class BufferedShuffle final : public Iterator {
 public:
  BufferedShuffle(std::unique_ptr<Iterator> input, const ShuffleOptions& options, const Random& random)
      : options_(options),
        piece_(std::max<int64_t>(16, options.buffer / 8)),
        input_(std::move(input), piece_),
        start_(random),
        buffer_(options.buffer, random) {}

  std::optional<Example> next() override {
    fill();
    if (buffer_.is_empty()) return std::nullopt;
    Held held = buffer_.draw();
    ++drawn_;
    forget(held.index);
    return std::move(held.example);
  }

  nlohmann::json state() const override {
    const int64_t oldest = std::max(begin_, first_piece_ * piece_);
    return {{"stage", kShuffleStage}, {"seed", options_.seed}, {"buffer", options_.buffer},          {"drawn", drawn_},
            {"read", input_.taken()}, {"oldest", oldest},      {"input", input_.position_of(oldest)}};
  }

  void restore(const nlohmann::json& state) override {
    const SavedState saved(kShuffleStage, state);
    require_same_shuffle(saved, options_);
    drawn_ = saved.count("drawn");
    const int64_t read = saved.count("read");
    begin_ = saved.count("oldest", read);
    first_piece_ = begin_ / piece_;
    input_.restore(saved, "input", begin_);
    read_again(saved, read, held_after(saved, read));
  }

 private:
  struct Held {
    int64_t index;  // in the input
    Example example;
  };

  void fill() {
    while (!input_ended_ && !buffer_.is_full()) {
      if (auto example = input_.next()) {
        hold(input_.taken() - 1, std::move(*example));
      } else {
        input_ended_ = true;
      }
    }
  }

  void hold(int64_t index, Example example) {
    remember(index);
    buffer_.put({index, std::move(example)});
  }

  void remember(int64_t index) {
    const auto piece = static_cast<size_t>(index / piece_ - first_piece_);
    if (piece >= held_.size()) held_.resize(piece + 1);
    ++held_[piece];
  }

  void forget(int64_t index) {
    --held_[static_cast<size_t>(index / piece_ - first_piece_)];
    while (held_.size() > 1 && held_.front() == 0) {
      held_.pop_front();
      ++first_piece_;
    }
    input_.release(first_piece_ * piece_);
  }

  // The indices that the buffer holds, in its order, after `drawn_` draws.
  std::vector<int64_t> held_after(const SavedState& saved, int64_t read) {
    Buffer<int64_t> replayed(options_.buffer, start_);
    int64_t next = 0;
    for (int64_t i = 0; i < drawn_; ++i) {
      while (next < read && !replayed.is_full()) replayed.put(next++);
      if (replayed.is_empty()) saved.refuse("drawn", "at most the number of elements read");
      replayed.draw();
    }
    if (next != read) saved.refuse("read", std::to_string(next) + ", the number of elements that these draws need");
    buffer_ = Buffer<Held>(options_.buffer, replayed.random());
    return std::move(replayed.items());
  }

  // Reads the input up to `read`, and puts the held examples in their slots.
  void read_again(const SavedState& saved, int64_t read, const std::vector<int64_t>& held) {
    std::vector<size_t> by_index(held.size());
    std::iota(by_index.begin(), by_index.end(), size_t{0});
    std::ranges::sort(by_index, {}, [&](size_t slot) { return held[slot]; });
    if (!held.empty() && held[by_index.front()] < input_.taken())
      saved.refuse("oldest", "at most the index of the first held example");
    buffer_.items().resize(held.size());
    for (size_t done = 0; input_.taken() < read;) {
      const int64_t index = input_.taken();
      auto example = input_.next();
      if (!example) saved.refuse("read", "at most the number of elements of the input");
      if (done == held.size() || held[by_index[done]] != index) continue;
      remember(index);
      buffer_.items()[by_index[done++]] = {index, std::move(*example)};
    }
  }

  const ShuffleOptions options_;
  const int64_t piece_;  // number of input elements that are counted together
  RewindableInput input_;
  const Random start_;
  Buffer<Held> buffer_;
  int64_t drawn_ = 0;
  // Number of held elements of each piece, from the oldest piece with a held element to the newest.
  std::deque<int64_t> held_;
  int64_t first_piece_ = 0;
  int64_t begin_ = 0;  // index of the next input element after restore()
  bool input_ended_ = false;
};

}  // namespace

void require_same_shuffle(const SavedState& saved, const ShuffleOptions& options) {
  saved.require_same("seed", options.seed);
  saved.require_same("buffer", options.buffer);
}

std::unique_ptr<Iterator> buffered_shuffle(std::unique_ptr<Iterator> input, const ShuffleOptions& options,
                                           const Random& random) {
  return std::make_unique<BufferedShuffle>(std::move(input), options, random);
}

}  // namespace portatune::data
