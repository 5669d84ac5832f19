// The masks of SpecAugment.
#pragma once

#include <cstdint>

#include "portatune/media_models.h"
#include "portatune/tensor.h"

namespace portatune::tasks {

/// Draws spans in [0, length) without two that begin at one place; spans may overlap. Their number is that of
/// transformers' _compute_mask_indices.
/// length   of the part that may be masked, at most `size`
/// key      selects the random numbers
/// returns  int32 [size]: 1 in spans
Tensor masked_spans(const models::MaskedSpans& spans, int64_t size, int64_t length, uint64_t key);

}  // namespace portatune::tasks
