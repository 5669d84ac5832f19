// The loss of models that transcribe speech by CTC, as the ...ForCTC classes of transformers compute it.
#pragma once

#include "portatune/media_models.h"
#include "portatune/tasks.h"

namespace portatune::tasks {

/// The sum of the losses of a batch, or the mean of each loss by its number of labels: CtcFacts.
/// logits   float32 [batch, frames, vocab_size]
/// labels   int32 [batch, labels]; behind them padding below 0, or blanks
/// frames   int32 [batch]: number of frames of each row without padding
/// weights  of the examples, float32 [batch]
/// mesh     the devices that share the batch, for a sum that does not depend on their number
/// outputs: "logits"
Forward ctc(const models::CtcFacts& facts, const Value& logits, const Value& labels, const Value& frames,
            const Value& weights, const Mesh& mesh);

}  // namespace portatune::tasks
