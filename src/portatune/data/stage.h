// The interface that all verbs of a dataset implement.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/data.h"
#include "portatune/sources.h"

namespace portatune::data {

/// The position in a pass. Used by one thread at a time. An error ends the pass.
class Iterator {
 public:
  virtual ~Iterator() = default;
  /// The next element; nullopt at the end and in all later calls.
  virtual std::optional<Example> next() = 0;
  /// Skips the next `count` elements, or all if fewer remain, and returns the number of skipped elements. A stage that
  /// can skip the corresponding elements of its input does not make them.
  virtual int64_t skip(int64_t count) {
    int64_t skipped = 0;
    while (skipped < count && next()) ++skipped;
    return skipped;
  }

  /// The position after the elements of next() and skip(), without elements that are only read ahead: a small object
  /// whose "stage" names the stage.
  virtual nlohmann::json state() const = 0;
  /// Moves to the position of another pass over an equal stage, with the same Pass, at the time of its state(). Must be
  /// called first. Read the state through SavedState.
  /// errors  DataError naming the stage, for the state of another stage; or the file, if one has changed
  virtual void restore(const nlohmann::json& state) = 0;
};

/// The parameters of one pass. All randomness depends on these and on the options of the stage, so that every pass can
/// be repeated.
struct Pass {
  int64_t epoch = 0;
  std::shared_ptr<BadRows> bad_rows = {};  ///< skipped bad rows (tolerance.h); null: bad rows are errors
  Meter* meter = nullptr;                  ///< measures the stages; may be nullptr
};

/// The immutable description of a dataset: the arguments of a verb, and the stage before it.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<Iterator> iterate(Pass pass) const = 0;
  /// Number of elements in a pass, if the stage has random access; otherwise nullopt.
  virtual std::optional<int64_t> size() const { return std::nullopt; }
  /// Element `index` of a pass, 0 <= index < size(). May be called from several threads at a time.
  virtual Example at(Pass pass, int64_t index) const;
};

// Shared, because all datasets derived from a stage read it.
using StagePtr = std::shared_ptr<const Stage>;

/// Throws UsageError "shuffle: buffer = 0, expected at least 1" unless value >= minimum.
void require_at_least(std::string_view verb, std::string_view option, int64_t value, int64_t minimum);

}  // namespace portatune::data
