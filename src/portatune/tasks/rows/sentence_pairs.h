// Pairs of sentences for next sentence prediction.
#pragma once

#include <string>

#include "portatune/data.h"

namespace portatune::tasks {

/// Each sentence of a document that another follows, as an example with the texts first and second and an int32 scalar
/// next_sentence_label: 0 if second is the sentence that follows, 1 if it is one of another document; each with a
/// probability of one half, drawn anew in every epoch.
/// rows    a sentence each; a blank one ends a document. Kept in memory from the first pass on.
/// column  of the text
/// errors  DataError, when a pass begins, if there are not two documents or no sentence follows another
/// source  Devlin et al. 2018, arXiv:1810.04805, section 3.1, with a sentence for each segment
data::Dataset sentence_pairs(const data::Dataset& rows, const std::string& column);

}  // namespace portatune::tasks
