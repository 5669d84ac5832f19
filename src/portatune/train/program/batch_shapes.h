// The shapes of batches that programs are compiled for.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/train/program/programs.h"

namespace portatune::train {

/// The arrays that the task needs, in its order, then its optional arrays that the batch has.
/// errors  DataError if the batch lacks a needed array
Signature signature_of(const Task& task, const data::Example& batch);

/// A text such as "input_ids int32[8, 128], ...".
std::string describe(const Signature& signature);

/// All shapes that batches of a dataset may have, as the first batch declares them.
class BatchShapes {
 public:
  /// errors  DataError if the batch lacks an array that the task needs
  BatchShapes(const Task& task, const data::Example& first);

  const std::vector<Signature>& all() const { return all_; }
  /// errors  DataError that names the batch's first row and its shape, if the shape is none of all()
  void require(const Task& task, const data::Example& batch) const;

 private:
  std::vector<Signature> all_;
};

}  // namespace portatune::train
