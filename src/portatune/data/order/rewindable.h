// For stages that stand between elements of their input: several elements of theirs come from one of its, or one of
// theirs from several, or they read ahead.
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

/// A place in an input as states have it: a state of the input, and how many elements to pass over after it.
nlohmann::json place_after(nlohmann::json state, int64_t skip);
/// Makes a new input go to the place that `key` of the state is.
void go_to_place(Iterator& input, const SavedState& saved, std::string_view key);

/// An input that can say how to come back to an element that it has given before. It remembers its state every
/// `stride` elements, so that this costs next to nothing; elements between are passed over when a pass is resumed.
class RewindableInput {
 public:
  explicit RewindableInput(std::unique_ptr<Iterator> input, int64_t stride = 16);

  std::optional<Example> next();
  /// Passes over elements, to none of which one can come back.
  int64_t skip(int64_t count);
  /// How many elements it has given or passed over: the number of the next one.
  int64_t taken() const { return taken_; }

  /// The place from which element `index` is the next one. Not before the last release().
  nlohmann::json place_of(int64_t index) const;
  /// Elements before `index` will not be asked for any more.
  void release(int64_t index);
  /// Makes element `index` the next one again.
  /// saved  the state of the stage that asks, whose `key` is what place_of(index) was
  void restore(const SavedState& saved, std::string_view key, int64_t index = 0);

 private:
  struct Snapshot {
    int64_t index;
    nlohmann::json state;
  };

  std::unique_ptr<Iterator> input_;
  int64_t stride_;
  int64_t taken_ = 0;
  bool failed_ = false;  // by an error: the input cannot say any more where it stands
  std::deque<Snapshot> snapshots_;
};

}  // namespace portatune::data
