// The training data of a run, which may change while it trains.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/train.h"
#include "portatune/train/state.h"

namespace portatune::train {

/// Notes changes of the data as deviations of the run.
class DataWatch {
 public:
  /// All arguments must outlive this object.
  DataWatch(TrainingState& state, const FitOptions& options, Callback& callback)
      : state_(state), options_(options), callback_(callback) {}

  /// The first change of the data; nothing after a change was accepted. All processes of a group call it, and all know
  /// of a change that one has found.
  std::optional<ChangedData> change() const;

  void note(const ChangedData& change);
  void note_with_warning(const ChangedData& change);
  /// Returns whether the data have changed, and notes that.
  bool note_any_change();
  /// Notes a change after which the run continues, with a warning. Later changes do not count.
  void accept(const ChangedData& change);

  /// The data are unchanged, or their change is accepted, after the steps made so far.
  void set_unchanged() { unchanged_until_ = state_.steps(); }
  /// The last step at which the data were unchanged.
  int64_t unchanged_until() const { return unchanged_until_; }

 private:
  TrainingState& state_;
  const FitOptions& options_;
  Callback& callback_;
  bool is_accepted_ = false;
  int64_t unchanged_until_ = 0;
};

}  // namespace portatune::train
