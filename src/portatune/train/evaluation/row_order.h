// Rows of bucketed batches in the order of the data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "portatune/data.h"

namespace portatune::train {

/// Takes batches with the column data::kExamplePlace and their outputs, and passes on each row with its outputs as a
/// batch of one, in the order of this column. Rows wait for those before them.
class RowOrder {
 public:
  using Take = std::function<void(const data::Example& batch, const data::Example& outputs)>;
  explicit RowOrder(Take take) : take_(std::move(take)) {}

  void add(const data::Example& batch, const data::Example& outputs);
  /// Passes on the rows whose predecessors have not arrived: batches may have been dropped.
  void finish();

 private:
  const Take take_;
  int64_t next_ = 1;
  std::map<int64_t, std::pair<data::Example, data::Example>> waiting_;
};

}  // namespace portatune::train
