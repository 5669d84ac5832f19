#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kSelect = "select";

using Mask = std::shared_ptr<const std::vector<bool>>;

class SelectIterator final : public Iterator {
 public:
  SelectIterator(std::unique_ptr<Iterator> input, Mask mask) : input_(std::move(input)), mask_(std::move(mask)) {}

  std::optional<Example> next() override {
    skip_to_next();
    if (index_ == mask_->size()) {
      require_end();
      return std::nullopt;
    }
    ++index_;
    auto example = input_->next();
    if (!example) throw too_few();
    return example;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    while (skipped < count) {
      skip_to_next();
      if (index_ == mask_->size() || input_->skip(1) == 0) break;
      ++index_;
      ++skipped;
    }
    return skipped;
  }

  nlohmann::json state() const override {
    return {{"stage", kSelect}, {"place", index_}, {"places", mask_->size()}, {"input", input_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kSelect, state);
    saved.require_same("places", mask_->size());
    index_ = static_cast<size_t>(saved.count("place", std::ssize(*mask_)));
    input_->restore(saved.part("input"));
  }

 private:
  void skip_to_next() {
    const size_t start = index_;
    while (index_ < mask_->size() && !(*mask_)[index_]) ++index_;
    const auto skipped = static_cast<int64_t>(index_ - start);
    if (skipped > 0 && input_->skip(skipped) < skipped) throw too_few();
  }

  DataError too_few() const {
    return DataError({.where = "select",
                      .given = "fewer examples than the " + std::to_string(mask_->size()) + " of the selection",
                      .fix = "check whether the files have changed"});
  }

  void require_end() {
    const auto example = input_->next();
    if (!example) return;
    throw DataError({.where = to_string(example->origin()),
                     .given = "more examples than the " + std::to_string(mask_->size()) + " of the selection",
                     .fix = "check whether the files have changed"});
  }

  std::unique_ptr<Iterator> input_;
  Mask mask_;
  size_t index_ = 0;
};

// Number of selected examples before each block of kBlock examples, and in all.
constexpr size_t kBlock = 4096;
std::vector<int64_t> counts_before_blocks(const std::vector<bool>& mask) {
  std::vector<int64_t> counts;
  int64_t count = 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (i % kBlock == 0) counts.push_back(count);
    count += mask[i];
  }
  counts.push_back(count);
  return counts;
}

struct Select final : Stage {
  const StagePtr input;
  const Mask mask;
  const std::vector<int64_t> before;
  Select(StagePtr input, std::vector<bool> mask)
      : input(std::move(input)),
        mask(std::make_shared<const std::vector<bool>>(std::move(mask))),
        before(counts_before_blocks(*this->mask)) {}

  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_input = input->size();
    if (!of_input) return std::nullopt;
    if (*of_input == std::ssize(*mask)) return before.back();
    throw DataError({.where = "select",
                     .given = std::to_string(*of_input) + " examples",
                     .expected = std::to_string(mask->size()) + ", the size of the selection",
                     .fix = "check whether the files have changed"});
  }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, input_index(index)); }

  // The input's index of the selected example `index`.
  int64_t input_index(int64_t index) const {
    const auto block = std::prev(std::upper_bound(before.begin(), std::prev(before.end()), index));
    size_t at = static_cast<size_t>(block - before.begin()) * kBlock;
    for (int64_t left = index - *block;; ++at) {
      if ((*mask)[at] && left-- == 0) return static_cast<int64_t>(at);
    }
  }

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<SelectIterator>(input->iterate(pass), mask);
  }
};

}  // namespace

Dataset Dataset::select(std::vector<bool> keep) const {
  return Dataset(std::make_shared<Select>(stage_, std::move(keep)));
}

}  // namespace portatune::data
