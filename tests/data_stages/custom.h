// A source and a verb as users write them, with the public headers alone.
#pragma once

#include <memory>
#include <string>

#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {

/// Examples with a text column "n": the numbers below `count`, beginning with the epoch.
class Counter final : public CustomIterator {
 public:
  Counter(int64_t count, int64_t epoch) : count_(count), next_(epoch) {}

  std::optional<Example> next() override {
    if (next_ >= count_) return std::nullopt;
    Example example(Origin{.row = next_});
    return example.set("n", std::to_string(next_++));
  }

  std::string state() const override { return std::to_string(next_); }
  void restore(const std::string& state) override {
    if (state.empty() || state.find_first_not_of("0123456789") != std::string::npos) {
      throw DataError({.where = "resuming a counter", .given = state, .expected = "a number"});
    }
    next_ = std::stoll(state);
  }

 private:
  const int64_t count_;
  int64_t next_;
};

inline Dataset counter(int64_t count) {
  return from_iterator("counter", [count](int64_t epoch) { return std::make_unique<Counter>(count, epoch); });
}

/// Each example but the first, with the number of the one before it as a column "before". It holds one example, so its
/// state is that of the input from before this example.
class Before final : public CustomIterator {
 public:
  explicit Before(Cursor input) : input_(std::move(input)), state_(input_.state()) {}

  std::optional<Example> next() override {
    if (!before_) before_ = input_.next();
    std::string state = input_.state();
    std::optional<Example> example = input_.next();
    if (!example) return std::nullopt;
    Example result = *example;
    result.set("before", before_->text("n"));
    before_ = std::move(example);
    state_ = std::move(state);
    return result;
  }

  std::string state() const override { return state_; }
  void restore(const std::string& state) override {
    input_.restore(state);
    state_ = state;
  }

 private:
  Cursor input_;
  std::string state_;              // of the input, from before before_
  std::optional<Example> before_;  // none at the start of a pass, and after restore()
};

inline std::unique_ptr<CustomIterator> before(Cursor input) { return std::make_unique<Before>(std::move(input)); }

}  // namespace portatune::data
