// The losses of pretraining on recordings, as Wav2Vec2ForPreTraining of transformers computes them.
#pragma once

#include "portatune/media_models.h"
#include "portatune/tasks.h"

namespace portatune::tasks {

/// Sums over the masked frames of a batch, float32 scalars, and values of each frame.
struct ContrastiveLoss {
  Value contrastive;  ///< sum of the cross-entropies of the right frame among others
  Value diversity;    ///< (codevectors - perplexity) / codevectors for each masked frame
  Value total;        ///< their weighted sum
  Value perplexity;   ///< of the codevectors, summed over the groups; of all devices together
  Value masked;       ///< sum of the weights of the masked frames
  Value losses;       ///< the cross-entropies, float32 [batch, frames]; those of other frames have no meaning
  Value hits;         ///< 1 where the right frame is the most similar one, else 0; likewise
};

/// mask_time  int32 [batch, frames]: 1 for masked frames
/// negatives  int32 [batch, frames, negatives]: frames of the same row, distinguished from a masked frame. One with
///            the same codevectors does not count.
/// weights    of the examples, float32 [batch]
/// mesh       the devices that share the batch
/// source     Baevski et al. 2020, arXiv:2006.11477, section 3.2
ContrastiveLoss contrastive_loss(const models::ContrastiveFacts& facts, const models::ContrastiveStates& states,
                                 const Value& mask_time, const Value& negatives, const Value& weights,
                                 const Mesh& mesh);

/// Noise of the Gumbel distribution for GumbelChoice.
/// key  uint32 [2]
Value gumbel_noise(const Shape& shape, const Value& key);

}  // namespace portatune::tasks
