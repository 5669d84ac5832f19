// Several TFRecord files at a time.
#pragma once

#include <memory>

#include "portune/data/stage.h"
#include "portune/data/tfrecord_files.h"

namespace portune::data {

/// num_parallel_reads files at a time.
/// bad_rows  as in Pass
std::unique_ptr<Iterator> read_in_parallel(std::shared_ptr<const TfrecordFiles> files, int reads, bool deterministic,
                                           std::shared_ptr<BadRows> bad_rows);

}  // namespace portune::data
