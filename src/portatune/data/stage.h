// The interface behind which all verbs of a dataset stand.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/bad_rows.h"
#include "portatune/data.h"

namespace portatune::data {

/// A pass under way. Used by one thread at a time. After an error it is over.
class Iterator {
 public:
  virtual ~Iterator() = default;
  /// The next element; nothing at the end, and from then on.
  virtual std::optional<Example> next() = 0;
  /// Passes over the next `count` elements, or as many as there are, and returns how many these were. A stage that
  /// knows which of its input's elements they come from does not make them.
  virtual int64_t skip(int64_t count) {
    int64_t skipped = 0;
    while (skipped < count && next()) ++skipped;
    return skipped;
  }

  /// Where the pass stands after the elements that next() and skip() have given: small, and an object whose "stage"
  /// says what it is of. Not of what has been read ahead.
  virtual nlohmann::json state() const = 0;
  /// Goes to where another pass over an equal stage, with the same Pass, stood when state() said this. Called before
  /// anything else. SavedState reads it.
  /// errors  DataError naming the stage, if the state is none of this stage; or the file, if one has changed
  virtual void restore(const nlohmann::json& state) = 0;
};

/// Which pass over its data a stage is asked for. All randomness depends on this and on the stage's own options, so
/// that a pass can be begun again anywhere.
struct Pass {
  int64_t epoch = 0;
  std::shared_ptr<BadRows> bad_rows = {};  ///< what to do with bad rows (tolerance.h); null: they are errors
  Meter* meter = nullptr;                  ///< told how long the stages take; may be nullptr
};

/// The immutable description of a dataset: what a verb was given, and the stage before it.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<Iterator> iterate(Pass pass) const = 0;
  /// How many elements a pass has, where any of them can be had without those before it; otherwise nothing.
  virtual std::optional<int64_t> size() const { return std::nullopt; }
  /// Element `index` of a pass, 0 <= index < size(). May be called from several threads at a time.
  virtual Example at(Pass pass, int64_t index) const;
};

// Shared, because every dataset that is derived from a stage reads it.
using StagePtr = std::shared_ptr<const Stage>;

/// UsageError "shuffle: buffer = 0, expected at least 1" unless value >= least.
void require_at_least(std::string_view verb, std::string_view option, int64_t value, int64_t least);

}  // namespace portatune::data
