// What batch and padded_batch have in common: gathering rows, and the last batch.
#pragma once

#include <functional>
#include <vector>

#include "portune/data/stage.h"

namespace portune::data {

/// Makes one batch of `size` rows out of 1 to `size` examples.
using Collate = std::function<Example(const std::vector<Example>& rows, int64_t size)>;

/// The input's examples in batches, made by `collate`.
Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate);

}  // namespace portune::data
