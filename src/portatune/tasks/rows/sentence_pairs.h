// Pairs of sentences for next sentence prediction.
#pragma once

#include <string>

#include "portatune/data.h"

namespace portatune::tasks {

/// Each sentence of a document that has a successor, as an example with the texts first and second and an int32 scalar
/// next_sentence_label: 0 if second is the successor, 1 if it is a sentence of another document. Both have a
/// probability of one half, and each epoch draws again.
/// rows    one sentence each; a blank row ends a document. Kept in memory from the first pass on.
/// column  column of the text
/// errors  DataError at the start of a pass if there are fewer than two documents or no sentence has a successor
/// source  Devlin et al. 2018, arXiv:1810.04805, section 3.1, with a sentence for each segment
data::Dataset sentence_pairs(const data::Dataset& rows, const std::string& column);

}  // namespace portatune::tasks
