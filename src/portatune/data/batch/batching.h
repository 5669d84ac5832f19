// Parts shared by batch and padded_batch: gathering of rows, and the last batch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data/stage.h"

namespace portatune::data {

/// Makes one batch of `size` rows out of 1 to `size` examples.
using Collate = std::function<Example(const std::vector<Example>& rows, int64_t size)>;

enum class BatchAxis { kFirst, kLast };

/// The types of batches like this one for each of `sizes`, the size of an axis of the arrays with sized(column).
std::vector<BatchType> types_with_sizes(const Example& batch, std::span<const int64_t> sizes, BatchAxis axis,
                                        const std::function<bool(const std::string& column)>& sized);

/// The batches that `collate` makes of the input's examples.
Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate);
/// Dataset::padded_batch(), with `verb` in errors.
Dataset padded_batches(std::string_view verb, StagePtr input, int64_t size, PaddedBatchOptions options);

/// Skips `count` batches, as Iterator::skip() does.
/// skip_rows  skips rows and returns their number
int64_t skip_batches(int64_t count, const BatchOptions& options, const std::function<int64_t(int64_t)>& skip_rows);

}  // namespace portatune::data
