// Padding of sources and targets: pairs of lengths of batches.
#pragma once

#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/run.h"

namespace portatune::run {

/// The pairs of a policy, ascending in both lengths, at most `max`; the last one holds `longest`. Policies with lengths
/// of their own choose those of the sources: the targets beside a source length are as long as those of its examples.
/// examples  the examples whose padding auto minimises
/// longest   the lengths of the longest source and the longest target that must fit
/// errors    UsageError for a bucket above the longest source
std::vector<data::LengthPair> pairs_of(const Padding& padding, const data::LengthPair& max,
                                       const data::PairCounts& examples, const data::LengthPair& longest);

/// A line with the share of padding among the positions of such batches, then a histogram with a line per pair.
/// unit  what the two lengths count
std::vector<std::string> describe_pairs(const data::PairCounts& examples, const std::vector<data::LengthPair>& pairs,
                                        const data::LengthPair& max, const std::string& unit);

/// The longest source and the longest target.
data::LengthPair longest_pair_of(const data::PairCounts& examples);

}  // namespace portatune::run
