// The masks of SpecAugment, and the frames from which masked ones are distinguished.
#pragma once

#include <cstdint>
#include <span>

#include "portatune/media_models.h"
#include "portatune/tensor.h"

namespace portatune::tasks {

/// Draws spans in [0, length) without two that begin at one place; spans may overlap. Their number is that of
/// transformers' _compute_mask_indices.
/// length   of the part that may be masked, at most `size`
/// key      selects the random numbers
/// returns  int32 [size]: 1 in spans
Tensor masked_spans(const models::MaskedSpans& spans, int64_t size, int64_t length, uint64_t key);

/// Draws for each masked frame others of the masked frames, each with the same probability, as transformers'
/// _sample_negative_indices.
/// mask     1 for masked frames, 0 for the others; none or at least two are masked
/// key      selects the random numbers
/// returns  int32 [frames, count]: indices of frames; zeros for frames that are not masked
Tensor sampled_negatives(std::span<const int32_t> mask, int64_t count, uint64_t key);

}  // namespace portatune::tasks
