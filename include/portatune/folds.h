// Parts of data: which example belongs to which fold, and which are held out to measure on. Dataset::select() takes
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portatune::data {

/// Which of `folds` parts each of `examples` belongs to, 0 to folds - 1: parts of equal size, or one less, in random
/// order.
/// errors  UsageError for fewer than 2 folds, or more folds than examples
std::vector<int> k_fold(int64_t examples, int folds, uint64_t seed);
/// The same where examples of one group stay together. As sklearn.model_selection.GroupKFold: the largest group first,
/// each into the part that is the smallest so far; of equally large groups the later name first, of equal parts the
/// first.
/// errors  UsageError for fewer than 2 folds, or more folds than groups
std::vector<int> group_k_fold(const std::vector<std::string>& groups, int folds);
/// The same where each class is spread over the parts as evenly as can be, and which example of a class goes where is
/// random. As many of each class are in each part as with sklearn.model_selection.StratifiedKFold.
/// labels  the class of each example
/// errors  UsageError for fewer than 2 folds, or more folds than the most frequent class has examples
std::vector<int> stratified_k_fold(const std::vector<std::string>& labels, int folds, uint64_t seed);

/// Whether an example is held out: a random `share` of them, rounded up, as by sklearn.model_selection.ShuffleSplit.
/// errors  UsageError unless 0 < share < 1 and both parts have an example
std::vector<bool> hold_out(int64_t examples, double share, uint64_t seed);
/// The same, with as many of each class as sklearn.model_selection.StratifiedShuffleSplit has; of classes that have an
/// equal claim to a remaining place, random ones get it.
/// errors  and for a class with fewer than two examples, or a part that has fewer examples than there are classes
std::vector<bool> stratified_hold_out(const std::vector<std::string>& labels, double share, uint64_t seed);
/// The same for groups, whose examples stay together: `share` is that of the groups, as in
/// sklearn.model_selection.GroupShuffleSplit.
std::vector<bool> group_hold_out(const std::vector<std::string>& groups, double share, uint64_t seed);

}  // namespace portatune::data
