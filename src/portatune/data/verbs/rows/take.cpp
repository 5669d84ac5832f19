#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kTake = "take";

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

  nlohmann::json state() const override { return {{"stage", kTake}, {"left", left_}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kTake, state);
    left_ = saved.count("left", left_);
    input_->restore(saved.part("input"));
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
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_input = input->size();
    return of_input ? std::optional(std::min(*of_input, count)) : std::nullopt;
  }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, index); }
};

}  // namespace

Dataset Dataset::take(int64_t count) const {
  require_at_least("take", "count", count, 0);
  return Dataset(std::make_shared<Take>(stage_, count));
}

}  // namespace portatune::data
