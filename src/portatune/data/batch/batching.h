// What batch and padded_batch have in common: gathering rows, and the last batch.
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

/// The types of batches like this one for each of `sizes`, which arrays that are `sized` have on an axis.
std::vector<BatchType> types_with_sizes(const Example& batch, std::span<const int64_t> sizes, BatchAxis axis,
                                        const std::function<bool(const std::string& column)>& sized);

/// The input's examples in batches, made by `collate`.
Dataset gather_batches(StagePtr input, const BatchOptions& options, Collate collate);
/// What Dataset::padded_batch() says, in the name of `verb`.
Dataset padded_batches(std::string_view verb, StagePtr input, int64_t size, PaddedBatchOptions options);

/// Passes over `count` batches, as Iterator::skip() does.
/// skip_rows  does so with their rows
int64_t skip_batches(int64_t count, const BatchOptions& options, const std::function<int64_t(int64_t)>& skip_rows);

}  // namespace portatune::data
