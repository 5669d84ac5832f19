// Stacking of examples to a batch.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// The layout of the rows of an array column in a batch.
struct RowLayout {
  Shape shape;             ///< of one row
  bool padded = false;     ///< whether the last axis of rows may be shorter
  double pad_value = 0.0;  ///< for the missing ends of rows, and for filler rows
};

/// Chooses the layout of a column from its name and its value in the first row.
using ChooseLayout = std::function<RowLayout(std::string_view column, const Tensor& first)>;

/// The layout without padding: all rows have the shape of the first.
RowLayout unpadded(std::string_view column, const Tensor& first);

/// Stacks the examples, and then filler rows (pad values, empty texts, weight 0), to a batch of `size` rows. Adds
/// kExampleWeight. The origin of the batch is that of the first row.
/// verb      for errors
/// optional  types, for one row, of arrays that rows may lack; those rows are zeros
/// errors    DataError that names the first example that differs from the others; UsageError for a pad value that a
///           column cannot hold
Example stack(std::string_view verb, const std::vector<Example>& rows, int64_t size, const ChooseLayout& layout,
              const BatchType& optional = {});

}  // namespace portatune::data
