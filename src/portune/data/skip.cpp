#include <utility>

#include "portune/data/stage.h"

namespace portune::data {
namespace {

class SkipIterator final : public Iterator {
 public:
  SkipIterator(std::unique_ptr<Iterator> input, int64_t count) : input_(std::move(input)), left_(count) {}

  std::optional<Example> next() override {
    pass_over_first();
    return input_->next();
  }

  int64_t skip(int64_t count) override {
    pass_over_first();
    return input_->skip(count);
  }

 private:
  void pass_over_first() {
    if (left_ > 0) input_->skip(std::exchange(left_, 0));
  }

  std::unique_ptr<Iterator> input_;
  int64_t left_;
};

struct Skip final : Stage {
  const StagePtr input;
  const int64_t count;
  Skip(StagePtr input, int64_t count) : input(std::move(input)), count(count) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<SkipIterator>(input->iterate(pass), count);
  }
};

}  // namespace

Dataset Dataset::skip(int64_t count) const {
  require_at_least("skip", "count", count, 0);
  return Dataset(std::make_shared<Skip>(stage_, count));
}

}  // namespace portune::data
