// Examples side by side in one batch.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// How the rows of an array column lie in a batch.
struct RowLayout {
  Shape shape;             ///< of one row
  bool padded = false;     ///< whether the last axis of rows may be shorter
  double pad_value = 0.0;  ///< of the missing ends of rows and of filler rows
};

/// Chooses the layout of a column from its name and its value in the first row.
using ChooseLayout = std::function<RowLayout(std::string_view column, const Tensor& first)>;

/// That of rows as they are, which all have the shape of the first.
RowLayout unpadded(std::string_view column, const Tensor& first);

/// One batch of `size` rows: the examples, then fillers (pad values, empty texts, weight 0). Adds kExampleWeight.
/// Its origin is that of the first row.
/// verb      is named in errors
/// optional  arrays that rows may lack, of one row: zeros then
/// errors    DataError that names the first example that does not fit to the others; UsageError for a pad value that a
///           column cannot hold
Example stack(std::string_view verb, const std::vector<Example>& rows, int64_t size, const ChooseLayout& layout,
              const BatchType& optional = {});

}  // namespace portatune::data
