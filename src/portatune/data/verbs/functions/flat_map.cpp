#include <nlohmann/json.hpp>

#include "portatune/data/order/rewindable.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"

namespace portatune::data {
namespace {

constexpr const char* kFlatMap = "flat_map";

using FlatMapFunction = std::function<std::vector<Example>(Example)>;

class FlatMapIterator final : public Iterator {
 public:
  FlatMapIterator(std::unique_ptr<Iterator> input, FlatMapFunction f, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), f_(std::move(f)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (taken_ == examples_.size()) {
      if (!take_more()) return std::nullopt;
    }
    return std::move(examples_[taken_++]);
  }

  nlohmann::json state() const override {
    const bool more = taken_ < examples_.size();  // whether examples of the last input element remain
    return {{"stage", kFlatMap},
            {"taken", more ? taken_ : 0},
            {"input", input_.position_of(input_.taken() - (more ? 1 : 0))}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kFlatMap, state);
    input_.restore(saved, "input");
    const auto taken = static_cast<size_t>(saved.count("taken"));
    if (taken == 0) return;
    if (!take_more() || taken >= examples_.size()) saved.refuse("taken", "fewer examples than the function returns");
    taken_ = taken;
  }

 private:
  bool take_more() {
    input_.release(input_.taken());
    auto example = input_.next();
    if (!example) return false;
    examples_ = call_tolerantly(bad_rows_.get(), std::move(*example), f_).value_or(std::vector<Example>());
    taken_ = 0;
    return true;
  }

  RewindableInput input_;
  FlatMapFunction f_;
  std::shared_ptr<BadRows> bad_rows_;
  std::vector<Example> examples_;  // of the last element of the input
  size_t taken_ = 0;
};

struct FlatMap final : Stage {
  const StagePtr input;
  const FlatMapFunction f;
  FlatMap(StagePtr input, FlatMapFunction f) : input(std::move(input)), f(std::move(f)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<FlatMapIterator>(input->iterate(pass), f, pass.bad_rows);
  }
};

}  // namespace

Dataset Dataset::flat_map(std::function<std::vector<Example>(Example)> f) const {
  return Dataset(std::make_shared<FlatMap>(stage_, std::move(f)));
}

}  // namespace portatune::data
