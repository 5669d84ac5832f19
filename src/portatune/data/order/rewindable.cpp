#include "portatune/data/order/rewindable.h"

#include <algorithm>
#include <utility>

namespace portatune::data {

nlohmann::json position_after(nlohmann::json state, int64_t skip) {
  return {{"state", std::move(state)}, {"skip", skip}};
}

void go_to_position(Iterator& input, const SavedState& saved, std::string_view key) {
  const nlohmann::json& position = saved.part(key);
  const bool fits = position.is_object() && position.contains("state") && position.contains("skip") &&
                    position["skip"].is_number_integer();
  if (!fits) saved.refuse(key, "the state of the input, and the number of elements to skip after it");
  input.restore(position["state"]);
  const int64_t skip = position["skip"].get<int64_t>();
  if (skip < 0 || input.skip(skip) < skip) saved.refuse(key, "at most the remaining elements of the input to skip");
}

RewindableInput::RewindableInput(std::unique_ptr<Iterator> input, int64_t stride)
    : input_(std::move(input)), stride_(stride) {}

std::optional<Example> RewindableInput::next() {
  const bool due = snapshots_.empty() || (taken_ % stride_ == 0 && snapshots_.back().index != taken_);
  if (due) snapshots_.push_back({taken_, input_->state()});
  failed_ = true;
  std::optional<Example> example = input_->next();
  failed_ = false;
  if (example) ++taken_;
  return example;
}

int64_t RewindableInput::skip(int64_t count) {
  snapshots_.clear();
  const int64_t skipped = input_->skip(count);
  taken_ += skipped;
  return skipped;
}

nlohmann::json RewindableInput::position_of(int64_t index) const {
  if (index == taken_ && !failed_) return position_after(input_->state(), 0);
  const auto after = std::ranges::upper_bound(snapshots_, index, {}, &Snapshot::index);
  const Snapshot& before = *std::prev(after);
  return position_after(before.state, index - before.index);
}

void RewindableInput::release(int64_t index) {
  while (snapshots_.size() > 1 && snapshots_[1].index <= index) snapshots_.pop_front();
}

void RewindableInput::restore(const SavedState& saved, std::string_view key, int64_t index) {
  go_to_position(*input_, saved, key);
  taken_ = index;
}

}  // namespace portatune::data
