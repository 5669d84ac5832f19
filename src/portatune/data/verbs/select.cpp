#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kStage = "select";

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

  nlohmann::json state() const override {
    return {{"stage", kStage}, {"place", place_}, {"places", places_->size()}, {"input", input_->state()}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kStage, state);
    saved.require_same("places", places_->size());
    place_ = static_cast<size_t>(saved.count("place", std::ssize(*places_)));
    input_->restore(saved.part("input"));
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

// How many places are chosen before each piece of kPiece places, and in the end all.
constexpr size_t kPiece = 4096;
std::vector<int64_t> counts_before_pieces(const std::vector<bool>& places) {
  std::vector<int64_t> counts;
  int64_t count = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i % kPiece == 0) counts.push_back(count);
    count += places[i];
  }
  counts.push_back(count);
  return counts;
}

struct Select final : Stage {
  const StagePtr input;
  const Places places;
  const std::vector<int64_t> before;
  Select(StagePtr input, std::vector<bool> places)
      : input(std::move(input)),
        places(std::make_shared<const std::vector<bool>>(std::move(places))),
        before(counts_before_pieces(*this->places)) {}

  std::optional<int64_t> size() const override {
    const std::optional<int64_t> of_input = input->size();
    if (!of_input) return std::nullopt;
    if (*of_input == std::ssize(*places)) return before.back();
    throw DataError({.where = "select",
                     .given = std::to_string(*of_input) + " examples",
                     .expected = "as many as the " + std::to_string(places->size()) + " places to select from",
                     .fix = "have the files changed?"});
  }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, place_of(index)); }

  // The place of the chosen example `index`.
  int64_t place_of(int64_t index) const {
    const auto piece = std::prev(std::upper_bound(before.begin(), std::prev(before.end()), index));
    size_t place = static_cast<size_t>(piece - before.begin()) * kPiece;
    for (int64_t left = index - *piece;; ++place) {
      if ((*places)[place] && left-- == 0) return static_cast<int64_t>(place);
    }
  }

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<SelectIterator>(input->iterate(pass), places);
  }
};

}  // namespace

Dataset Dataset::select(std::vector<bool> places) const {
  return Dataset(std::make_shared<Select>(stage_, std::move(places)));
}

}  // namespace portatune::data
