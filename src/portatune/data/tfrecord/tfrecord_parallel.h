// Parallel reading of TFRecord files.
#pragma once

#include <memory>

#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_files.h"

namespace portatune::data {

/// The examples of `reads` files at a time, as TfrecordOptions describes.
/// bad_rows  as in Pass
std::unique_ptr<Iterator> read_in_parallel(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                                           std::shared_ptr<BadRows> bad_rows);

}  // namespace portatune::data
