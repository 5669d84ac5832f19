#include <nlohmann/json.hpp>

#include "portune/data/saved_state.h"
#include "portune/data/stage.h"
#include "portune/data/user_function.h"

namespace portune::data {
namespace {

constexpr const char* kStage = "filter";

using Predicate = std::function<bool(const Example&)>;

class FilterIterator final : public Iterator {
 public:
  FilterIterator(std::unique_ptr<Iterator> input, Predicate keep) : input_(std::move(input)), keep_(std::move(keep)) {}

  std::optional<Example> next() override {
    while (auto example = input_->next()) {
      if (call_on(*example, keep_)) return example;
    }
    return std::nullopt;
  }

  nlohmann::json state() const override { return {{"stage", kStage}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override { input_->restore(SavedState(kStage, state).part("input")); }

 private:
  std::unique_ptr<Iterator> input_;
  Predicate keep_;
};

struct Filter final : Stage {
  const StagePtr input;
  const Predicate keep;
  Filter(StagePtr input, Predicate keep) : input(std::move(input)), keep(std::move(keep)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<FilterIterator>(input->iterate(pass), keep);
  }
};

}  // namespace

Dataset Dataset::filter(std::function<bool(const Example&)> keep) const {
  return Dataset(std::make_shared<Filter>(stage_, std::move(keep)));
}

}  // namespace portune::data
