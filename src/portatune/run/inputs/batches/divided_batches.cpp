#include "portatune/run/inputs/batches/divided_batches.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/io/file/local_file.h"

namespace portatune::run {

int64_t rows_on(const Mesh& mesh, int64_t batch_size) { return batch_size * mesh.size(kBatchAxes); }

void require_files_for_all(const DeviceOptions& device, const char* option, const std::vector<std::string>& files) {
  if (device.processes == nullptr || std::ranges::find(files, io::kStandardInput) == files.end()) return;
  throw UsageError({.where = option,
                    .given = "standard input, in several processes",
                    .expected = "files that all processes can read"});
}

void require_divisible_loss(const RowTask& task, const Mesh& mesh) {
  if (task.loss_is_of_rows() || mesh.size(kBatchAxes) == 1) return;
  throw UsageError({.where = "mesh", .given = to_string(mesh), .expected = kWholeBatches});
}

}  // namespace portatune::run
