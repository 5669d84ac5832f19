// Batches of TFRecords.
#pragma once

#include <memory>

#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_files.h"

namespace portatune::data {

/// Batches whose columns are made directly from the records; null if the features do not allow it.
/// gathered  the same batches from single examples, for passes that skip bad rows
StagePtr batches_of(std::shared_ptr<const TfrecordFiles> files, const BatchOptions& options, StagePtr gathered);

}  // namespace portatune::data
