#include "portune/data/stage.h"
#include "portune/data/tolerance.h"

namespace portune::data {
namespace {

using Function = std::function<std::vector<Example>(Example)>;

class FlatMapIterator final : public Iterator {
 public:
  FlatMapIterator(std::unique_ptr<Iterator> input, Function f, std::shared_ptr<BadRows> bad_rows)
      : input_(std::move(input)), f_(std::move(f)), bad_rows_(std::move(bad_rows)) {}

  std::optional<Example> next() override {
    while (taken_ == examples_.size()) {
      auto example = input_->next();
      if (!example) return std::nullopt;
      examples_ = call_tolerantly(bad_rows_.get(), std::move(*example), f_).value_or(std::vector<Example>());
      taken_ = 0;
    }
    return std::move(examples_[taken_++]);
  }

 private:
  std::unique_ptr<Iterator> input_;
  Function f_;
  std::shared_ptr<BadRows> bad_rows_;
  std::vector<Example> examples_;  // of the last element of the input
  size_t taken_ = 0;
};

struct FlatMap final : Stage {
  const StagePtr input;
  const Function f;
  FlatMap(StagePtr input, Function f) : input(std::move(input)), f(std::move(f)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<FlatMapIterator>(input->iterate(pass), f, pass.bad_rows);
  }
};

}  // namespace

Dataset Dataset::flat_map(std::function<std::vector<Example>(Example)> f) const {
  return Dataset(std::make_shared<FlatMap>(stage_, std::move(f)));
}

}  // namespace portune::data
