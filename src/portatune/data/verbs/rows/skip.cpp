#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kSkip = "skip";

class SkipIterator final : public Iterator {
 public:
  SkipIterator(std::unique_ptr<Iterator> input, int64_t count) : input_(std::move(input)), left_(count) {}

  std::optional<Example> next() override {
    skip_first();
    return input_->next();
  }

  int64_t skip(int64_t count) override {
    skip_first();
    return input_->skip(count);
  }

  nlohmann::json state() const override { return {{"stage", kSkip}, {"left", left_}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kSkip, state);
    left_ = saved.count("left");
    input_->restore(saved.part("input"));
  }

 private:
  void skip_first() {
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
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_input = input->size();
    return of_input ? std::optional(std::max<int64_t>(0, *of_input - count)) : std::nullopt;
  }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, count + index); }
};

}  // namespace

Dataset Dataset::skip(int64_t count) const {
  require_at_least("skip", "count", count, 0);
  return Dataset(std::make_shared<Skip>(stage_, count));
}

}  // namespace portatune::data
