#include "portatune/io/arrow/table_file.h"

#include <arrow/ipc/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <numeric>

namespace portatune::arrow_plugin {
namespace {

constexpr int64_t kReadBytes = 256 * 1024;                // read size per column
constexpr int64_t kRowsOfText = 1024, kRowsOfBytes = 32;  // rows per batch; bytes may be large images

bool has_bytes(const arrow::DataType& type) {
  if (arrow::is_binary_like(type.id()) && !arrow::is_string(type.id())) return true;
  return std::ranges::any_of(type.fields(), [](const auto& field) { return has_bytes(*field->type()); });
}

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) add_leaves(child, leaves);
}

class ParquetTable final : public TableFile {
 public:
  static arrow::Result<std::unique_ptr<TableFile>> open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                        arrow::MemoryPool* pool) {
    parquet::ReaderProperties properties(pool);
    properties.enable_buffered_stream();  // reads a column page by page instead of a whole row group
    properties.set_buffer_size(kReadBytes);
    parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
    arrow_properties.set_pre_buffer(false);
    arrow_properties.set_io_context(arrow::io::IOContext(pool));
    auto table = std::make_unique<ParquetTable>();
    ARROW_ASSIGN_OR_RAISE(table->reader_,
                          parquet::arrow::FileReader::Make(
                              pool, parquet::ParquetFileReader::Open(std::move(file), properties), arrow_properties));
    ARROW_RETURN_NOT_OK(table->reader_->GetSchema(&table->schema_));
    return table;
  }

  const arrow::Schema& schema() const override { return *schema_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int>& columns) override {
    std::vector<int> leaves;
    bool bytes = false;
    for (const int column : columns) {
      add_leaves(reader_->manifest().schema_fields.at(static_cast<size_t>(column)), leaves);
      bytes = bytes || has_bytes(*schema_->field(column)->type());
    }
    reader_->set_batch_size(bytes ? kRowsOfBytes : kRowsOfText);
    std::vector<int> row_groups(static_cast<size_t>(reader_->num_row_groups()));
    std::iota(row_groups.begin(), row_groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(auto batches, reader_->GetRecordBatchReader(row_groups, leaves));
    return std::shared_ptr<arrow::RecordBatchReader>(std::move(batches));
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
};

arrow::ipc::IpcReadOptions ipc_options(arrow::MemoryPool* pool, const std::vector<int>& columns = {}) {
  arrow::ipc::IpcReadOptions options;
  options.memory_pool = pool;
  options.use_threads = false;
  options.included_fields = columns;
  return options;
}

// Reads the batches of an IPC file in sequence.
class FileBatches final : public arrow::RecordBatchReader {
 public:
  explicit FileBatches(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file) : file_(std::move(file)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return file_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (next_ == file_->num_record_batches()) return arrow::Status::OK();
    return file_->ReadRecordBatch(next_++).Value(batch);
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int next_ = 0;
};

// An IPC file or stream. It is opened twice: for the schema, and for the selected columns.
class IpcTable final : public TableFile {
 public:
  IpcTable(std::shared_ptr<arrow::io::RandomAccessFile> file, arrow::MemoryPool* pool, bool is_stream)
      : file_(std::move(file)), pool_(pool), is_stream_(is_stream) {}

  arrow::Status open() {
    ARROW_ASSIGN_OR_RAISE(const auto batches, batches_of({}));
    schema_ = batches->schema();
    return arrow::Status::OK();
  }

  const arrow::Schema& schema() const override { return *schema_; }
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int>& columns) override {
    return batches_of(columns);
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> batches_of(const std::vector<int>& columns) {
    ARROW_RETURN_NOT_OK(file_->Seek(0));
    const arrow::ipc::IpcReadOptions options = ipc_options(pool_, columns);
    if (is_stream_) {
      ARROW_ASSIGN_OR_RAISE(auto stream, arrow::ipc::RecordBatchStreamReader::Open(file_, options));
      return std::shared_ptr<arrow::RecordBatchReader>(std::move(stream));
    }
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::ipc::RecordBatchFileReader::Open(file_, options));
    return std::make_shared<FileBatches>(std::move(file));
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  arrow::MemoryPool* pool_;
  bool is_stream_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

arrow::Result<std::unique_ptr<TableFile>> open_table_file(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto beginning, file->ReadAt(0, 6));
  const std::string_view magic(*beginning);
  if (magic.starts_with("PAR1")) return ParquetTable::open(std::move(file), pool);
  const bool is_stream = magic.starts_with("\xff\xff\xff\xff");
  if (!is_stream && magic != "ARROW1") {
    return arrow::Status::Invalid("a file that begins neither like Parquet nor like Arrow");
  }
  auto table = std::make_unique<IpcTable>(std::move(file), pool, is_stream);
  ARROW_RETURN_NOT_OK(table->open());
  return table;
}

}  // namespace portatune::arrow_plugin
