#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kConcatenate = "concatenate";

class ConcatenateIterator final : public Iterator {
 public:
  ConcatenateIterator(std::unique_ptr<Iterator> first, std::unique_ptr<Iterator> second)
      : current_(std::move(first)), second_(std::move(second)) {}

  std::optional<Example> next() override {
    auto example = current_->next();
    if (example || !second_) return example;
    current_ = std::move(second_);
    return current_->next();
  }

  int64_t skip(int64_t count) override {
    const int64_t skipped = current_->skip(count);
    if (skipped == count || !second_) return skipped;
    current_ = std::move(second_);
    return skipped + current_->skip(count - skipped);
  }

  nlohmann::json state() const override {
    return {{"stage", kConcatenate}, {"in_second", second_ == nullptr}, {"input", current_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kConcatenate, state);
    if (saved.flag("in_second")) current_ = std::move(second_);
    current_->restore(saved.part("input"));
  }

 private:
  std::unique_ptr<Iterator> current_, second_;  // second_ is null once it has become current_
};

struct Concatenate final : Stage {
  const StagePtr first, second;
  Concatenate(StagePtr first, StagePtr second) : first(std::move(first)), second(std::move(second)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<ConcatenateIterator>(first->iterate(pass), second->iterate(pass));
  }
  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_first = first->size(), of_second = second->size();
    return of_first && of_second ? std::optional(*of_first + *of_second) : std::nullopt;
  }
  Example at(Pass pass, int64_t index) const override {
    const int64_t of_first = *first->size();
    return index < of_first ? first->at(pass, index) : second->at(pass, index - of_first);
  }
};

}  // namespace

Dataset Dataset::concatenate(const Dataset& other) const {
  return Dataset(std::make_shared<Concatenate>(stage_, other.stage_));
}

}  // namespace portatune::data
