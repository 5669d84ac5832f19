#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"

namespace portatune::data {
namespace {

constexpr const char* kFilter = "filter";

using Predicate = std::function<bool(const Example&)>;

class FilterIterator final : public Iterator {
 public:
  FilterIterator(std::unique_ptr<Iterator> input, Predicate keep, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), keep_(std::move(keep)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (auto example = input_->next()) {
      if (call_tolerantly(bad_rows_.get(), *example, keep_).value_or(false)) return example;
    }
    return std::nullopt;
  }

  nlohmann::json state() const override { return {{"stage", kFilter}, {"input", input_->state()}}; }
  void restore(const nlohmann::json& state) override { input_->restore(SavedState(kFilter, state).part("input")); }

 private:
  std::unique_ptr<Iterator> input_;
  Predicate keep_;
  std::shared_ptr<BadRows> bad_rows_;
};

struct Filter final : Stage {
  const StagePtr input;
  const Predicate keep;
  Filter(StagePtr input, Predicate keep) : input(std::move(input)), keep(std::move(keep)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<FilterIterator>(input->iterate(pass), keep, pass.bad_rows);
  }
};

}  // namespace

Dataset Dataset::filter(std::function<bool(const Example&)> keep) const {
  return Dataset(std::make_shared<Filter>(stage_, std::move(keep)));
}

}  // namespace portatune::data
