// Inputs of stages whose elements do not correspond one to one to elements of the input, or that read ahead.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {

/// The position in an input as JSON for states: a state of the input, and the number of elements to skip after it.
nlohmann::json position_after(nlohmann::json state, int64_t skip);
/// Moves a new input to the position at `key` of the state.
void go_to_position(Iterator& input, const SavedState& saved, std::string_view key);

/// An input that knows the positions of elements that it has given before. It stores its state every `stride` elements,
/// which costs little; a resumed pass skips the elements between.
class RewindableInput {
 public:
  explicit RewindableInput(std::unique_ptr<Iterator> input, int64_t stride = 16);

  std::optional<Example> next();
  /// Skips elements; position_of() is not available for any of them.
  int64_t skip(int64_t count);
  /// Number of elements that it has given or skipped: the index of the next element.
  int64_t taken() const { return taken_; }

  /// The position at which element `index` is the next one. Not for elements before the last release().
  nlohmann::json position_of(int64_t index) const;
  /// Frees the positions of elements before `index`.
  void release(int64_t index);
  /// Makes element `index` the next one again.
  /// saved  the state of the calling stage, with position_of(index) at `key`
  void restore(const SavedState& saved, std::string_view key, int64_t index = 0);

 private:
  struct Snapshot {
    int64_t index;
    nlohmann::json state;
  };

  std::unique_ptr<Iterator> input_;
  int64_t stride_;
  int64_t taken_ = 0;
  bool failed_ = false;  // true after an error, when the input has no valid state
  std::deque<Snapshot> snapshots_;
};

}  // namespace portatune::data
