// Parts shared by batch and padded_batch: gathering of rows, and the last batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data/stage.h"

namespace portatune::data {

/// Makes one batch of `size` rows out of 1 to `size` examples.
using Collate = std::function<Example(const std::vector<Example>& rows, int64_t size)>;

enum class BatchAxis { kFirst, kLast };

/// The size of an axis of a column in the i-th type of batch; none: that of the batch.
using SizeOf = std::function<std::optional<int64_t>(const std::string& column, size_t i)>;
/// The types of `count` batches like this one, which differ in the size of an axis.
std::vector<BatchType> types_with_sizes(const Example& batch, size_t count, BatchAxis axis, const SizeOf& size_of);

/// The batches that `collate` makes of the input's examples.
Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate);
/// Dataset::padded_batch(), with `verb` in errors.
Dataset padded_batches(std::string_view verb, StagePtr input, int64_t size, PaddedBatchOptions options);

/// Skips `count` batches, as Iterator::skip() does.
/// skip_rows  skips rows and returns their number
int64_t skip_batches(int64_t count, const BatchOptions& options, const std::function<int64_t(int64_t)>& skip_rows);

}  // namespace portatune::data
