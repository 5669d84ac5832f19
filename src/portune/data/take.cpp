#include <algorithm>

#include "portune/data/stage.h"

namespace portune::data {
namespace {

class TakeIterator final : public Iterator {
 public:
  TakeIterator(std::unique_ptr<Iterator> input, int64_t count) : input_(std::move(input)), left_(count) {}

  std::optional<Example> next() override {
    if (left_ == 0) return std::nullopt;
    --left_;
    return input_->next();
  }

  int64_t skip(int64_t count) override {
    const int64_t skipped = input_->skip(std::min(count, left_));
    left_ -= skipped;
    return skipped;
  }

 private:
  std::unique_ptr<Iterator> input_;
  int64_t left_;
};

struct Take final : Stage {
  const StagePtr input;
  const int64_t count;
  Take(StagePtr input, int64_t count) : input(std::move(input)), count(count) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<TakeIterator>(input->iterate(pass), count);
  }
};

}  // namespace

Dataset Dataset::take(int64_t count) const {
  require_at_least("take", "count", count, 0);
  return Dataset(std::make_shared<Take>(stage_, count));
}

}  // namespace portune::data
