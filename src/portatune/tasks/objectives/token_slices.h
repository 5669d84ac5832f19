// The loss of a language model without the logits of all tokens in memory at once.
#pragma once

#include <functional>

#include "portatune/models.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::tasks {

/// Logits of more bytes are computed in slices.
inline constexpr int64_t kMaxLogitsBytes = int64_t{512} << 20;

/// The head of a language model in a program.
struct LanguageModelHead {
  const models::TextModel& model;
  models::HeadKind kind;
  const nn::Scope& root;
  double label_smoothing = 0;                  ///< of token_figures()
  int64_t max_logits_bytes = kMaxLogitsBytes;  ///< maximal size of a device's logits in memory
};

/// A loss and outputs from the figures of tokens. The loss is a weighted sum of the tokens' losses.
using Objective = std::function<Forward(const TokenFigures& figures)>;

/// objective(token_figures()) of the logits that the head computes from x. Logits of more than max_logits_bytes are
/// computed slice by slice, in a loop that also adds up the gradients of x and of the head's weights. In float16 they
/// are not, because only the scaled loss has gradients in the range of that type.
/// x [..., hidden_size], labels int32 [...]
Forward objective_of_tokens(const LanguageModelHead& head, const Value& x, const Value& labels,
                            const Objective& objective);

}  // namespace portatune::tasks
