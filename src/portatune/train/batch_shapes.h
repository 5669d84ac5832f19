// The shapes of batches that programs are compiled for.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/train/programs.h"

namespace portatune::train {

/// The arrays that the task needs, in its order, and those that it reads if they are there.
/// errors  DataError if the batch lacks one
Signature signature_of(const Task& task, const data::Example& batch);

/// "input_ids int32[8, 128], ...".
std::string describe(const Signature& signature);

/// All shapes that batches of a dataset may have, told by the first of them.
class BatchShapes {
 public:
  /// errors  DataError if the batch lacks an array that the task needs
  BatchShapes(const Task& task, const data::Example& first);

  const std::vector<Signature>& all() const { return all_; }
  /// errors  DataError that names the batch's first row and its shape, unless it is one of them
  void require(const Task& task, const data::Example& batch) const;

 private:
  std::vector<Signature> all_;
};

}  // namespace portatune::train
