#include "portatune/train/loop/data_watch.h"

#include <string>

#include "portatune/process_group.h"

namespace portatune::train {

std::optional<ChangedData> DataWatch::change() const {
  if (!options_.changed_data || is_accepted_) return std::nullopt;
  std::optional<ChangedData> change = options_.changed_data();
  const bool any = in_any(state_.processes(), change.has_value());
  if (any && !change) change = {.file = "a file of another process", .change = "a change there"};
  return change;
}

void DataWatch::note(const ChangedData& change) {
  state_.add_deviation("the data changed after step " + std::to_string(unchanged_until_) + ": " + change.file + ", " +
                       change.change);
}

void DataWatch::note_with_warning(const ChangedData& change) {
  note(change);
  callback_.on_warning(state_.deviations().back());
}

bool DataWatch::note_any_change() {
  const std::optional<ChangedData> found = change();
  if (found) note(*found);
  return found.has_value();
}

void DataWatch::accept(const ChangedData& change) {
  note_with_warning(change);
  is_accepted_ = true;
}

}  // namespace portatune::train
