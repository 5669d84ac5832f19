#include "portune/data/stage.h"
#include "portune/error.h"

namespace portune::data {
namespace {

using Places = std::shared_ptr<const std::vector<bool>>;

class SelectIterator final : public Iterator {
 public:
  SelectIterator(std::unique_ptr<Iterator> input, Places places)
      : input_(std::move(input)), places_(std::move(places)) {}

  std::optional<Example> next() override {
    pass_to_next();
    if (place_ == places_->size()) {
      require_end();
      return std::nullopt;
    }
    ++place_;
    auto example = input_->next();
    if (!example) throw too_few();
    return example;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count) {
      pass_to_next();
      if (place_ == places_->size() || input_->skip(1) == 0) break;
      ++place_;
      ++skipped;
    }
    return skipped;
  }

 private:
  void pass_to_next() {
    const size_t start = place_;
    while (place_ < places_->size() && !(*places_)[place_]) ++place_;
    const auto passed = static_cast<int64_t>(place_ - start);
    if (passed > 0 && input_->skip(passed) < passed) throw too_few();
  }

  DataError too_few() const {
    return DataError({.where = "select",
                      .given = "fewer examples than the " + std::to_string(places_->size()) + " to select from",
                      .fix = "have the files changed?"});
  }

  void require_end() {
    const auto example = input_->next();
    if (!example) return;
    throw DataError({.where = to_string(example->origin()),
                     .given = "more examples than the " + std::to_string(places_->size()) + " to select from",
                     .fix = "have the files changed?"});
  }

  std::unique_ptr<Iterator> input_;
  Places places_;
  size_t place_ = 0;
};

struct Select final : Stage {
  const StagePtr input;
  const Places places;
  Select(StagePtr input, std::vector<bool> places)
      : input(std::move(input)), places(std::make_shared<const std::vector<bool>>(std::move(places))) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<SelectIterator>(input->iterate(pass), places);
  }
};

}  // namespace

Dataset Dataset::select(std::vector<bool> places) const {
  return Dataset(std::make_shared<Select>(stage_, std::move(places)));
}

}  // namespace portune::data
