// Batches of packed texts.
#pragma once

#include <vector>

#include "portatune/data.h"
#include "portatune/data/pack/row_packer.h"

namespace portatune::data {

/// The lengths of an example's texts.
/// errors  DataError naming the example, if its columns of tokens are not arrays of one shape, or if it does not fit in
///         the rows of an empty batch
TextLengths fitting_lengths(const Example& example, const PackOptions& options);

/// A batch as Dataset::pack() describes it. `examples` are those of `packed`, in the same order.
Example packed_batch(std::vector<Example> examples, const PackedRows& packed, const PackOptions& options);

}  // namespace portatune::data
