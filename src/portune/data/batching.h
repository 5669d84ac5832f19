// What batch and padded_batch have in common: gathering rows, and the last batch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "portune/data/stage.h"

namespace portune::data {

/// Makes one batch of `size` rows out of 1 to `size` examples.
using Collate = std::function<Example(const std::vector<Example>& rows, int64_t size)>;

/// The types of batches like this one for each of `sizes`, which arrays that are `sized` have on an axis.
std::vector<BatchType> types_with_sizes(const Example& batch, std::span<const int64_t> sizes, size_t axis,
                                        const std::function<bool(const std::string& column)>& sized);

/// The input's examples in batches, made by `collate`.
Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate);

}  // namespace portune::data
