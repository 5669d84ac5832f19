#include "portune/data/stage.h"

namespace portune::data {
namespace {

struct Repeat final : Stage {
  const StagePtr input;
  const std::optional<int64_t> count;
  Repeat(StagePtr input, std::optional<int64_t> count) : input(std::move(input)), count(count) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override;

  // The input's epochs within one pass follow each other, and no two passes share one. Without a count, a pass has
  // room for more epochs than anyone trains.
  int64_t first_epoch(const Pass& pass) const { return pass.epoch * count.value_or(int64_t{1} << 32); }
};

class RepeatIterator final : public Iterator {
 public:
  // pass  the first of the input
  RepeatIterator(StagePtr input, Pass pass, std::optional<int64_t> count)
      : input_(std::move(input)), pass_(std::move(pass)), left_(count) {}

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count && (current_ || begin_epoch())) {
      const int64_t of_epoch = current_->skip(count - skipped);
      empty_ = empty_ && of_epoch == 0;
      skipped += of_epoch;
      if (skipped < count) current_.reset();
    }
    return skipped;
  }

  std::optional<Example> next() override {
    for (;;) {
      if (!current_ && !begin_epoch()) return std::nullopt;
      if (auto example = current_->next()) {
        empty_ = false;
        return example;
      }
      current_.reset();
    }
  }

 private:
  bool begin_epoch() {
    // An epoch without examples will be followed by others like it: stop instead of searching forever.
    if (left_ == 0 || empty_) return false;
    if (left_) --*left_;
    current_ = input_->iterate(pass_);
    ++pass_.epoch;
    empty_ = true;
    return true;
  }

  StagePtr input_;
  Pass pass_;
  std::optional<int64_t> left_;
  std::unique_ptr<Iterator> current_;
  bool empty_ = false;  // whether the current epoch has given nothing so far
};

std::unique_ptr<Iterator> Repeat::iterate(Pass pass) const {
  pass.epoch = first_epoch(pass);
  return std::make_unique<RepeatIterator>(input, pass, count);
}

}  // namespace

Dataset Dataset::repeat(std::optional<int64_t> count) const {
  if (count) require_at_least("repeat", "count", *count, 0);
  return Dataset(std::make_shared<Repeat>(stage_, count));
}

}  // namespace portune::data
