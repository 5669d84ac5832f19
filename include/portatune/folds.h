// Splits of data: the fold of each example, and the examples that are held out for validation. Dataset::select()
// applies them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portatune::data {

/// The fold of each of `examples` examples, 0 to folds - 1, in random order. The sizes of the folds differ by at most
/// one.
/// errors  UsageError for fewer than 2 folds, or more folds than examples
std::vector<int> k_fold(int64_t examples, int folds, uint64_t seed);
/// The same with all examples of a group in one fold. Like sklearn.model_selection.GroupKFold: groups in order of
/// falling size, each into the smallest fold so far; of groups of one size the later name first, of folds of one size
/// the first.
/// errors  UsageError for fewer than 2 folds, or more folds than groups
std::vector<int> group_k_fold(const std::vector<std::string>& groups, int folds);
/// The same with each class spread over the folds as evenly as possible; the examples of a class are assigned at
/// random. Each fold has as many examples of each class as with sklearn.model_selection.StratifiedKFold.
/// labels  the class of each example
/// errors  UsageError for fewer than 2 folds, or more folds than the most frequent class has examples
std::vector<int> stratified_k_fold(const std::vector<std::string>& labels, int folds, uint64_t seed);

/// Holds out a random `share` of the examples, rounded up, like sklearn.model_selection.ShuffleSplit. The result is
/// true for each example held out.
/// errors  UsageError unless 0 < share < 1 and both parts have an example
std::vector<bool> hold_out(int64_t examples, double share, uint64_t seed);
/// The same with as many examples of each class as sklearn.model_selection.StratifiedShuffleSplit; ties between classes
/// with the same remainder are broken at random.
/// errors  as hold_out(); UsageError for a class with fewer than two examples, or a part with fewer examples than there
///         are classes
std::vector<bool> stratified_hold_out(const std::vector<std::string>& labels, double share, uint64_t seed);
/// The same with all examples of a group in one part: `share` is the share of the groups, as in
/// sklearn.model_selection.GroupShuffleSplit.
std::vector<bool> group_hold_out(const std::vector<std::string>& groups, double share, uint64_t seed);

}  // namespace portatune::data
