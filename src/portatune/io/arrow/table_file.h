// Table files, opened by Arrow.
#pragma once

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include <memory>
#include <string>
#include <vector>

namespace portatune::arrow_plugin {

/// A Parquet file, an Arrow IPC file or an Arrow IPC stream, detected by its first bytes.
class TableFile {
 public:
  virtual ~TableFile() = default;
  virtual const arrow::Schema& schema() const = 0;
  /// The batches of selected columns, in the order of the schema. `columns` is ascending and unique. Call it once.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int>& columns) = 0;
};

/// pool  provides all memory; must outlive the results
arrow::Result<std::unique_ptr<TableFile>> open_table_file(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          arrow::MemoryPool* pool);

}  // namespace portatune::arrow_plugin
