// Batches of TFRecords.
#pragma once

#include <memory>

#include "portatune/data/stage.h"
#include "portatune/data/tfrecord/tfrecord_files.h"

namespace portatune::data {

/// Batches whose columns are made straight from the records.
/// gathered  the same from one example after the other, for passes that pass over bad rows
StagePtr batches_of(std::shared_ptr<const TfrecordFiles> files, const BatchOptions& options, StagePtr gathered);

}  // namespace portatune::data
