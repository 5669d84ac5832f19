// The functions of libportatune_arrow.so: see io/plugin/arrow_api.h. No exception leaves it.
#include <arrow/c/bridge.h>
#include <arrow/util/io_util.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "portatune/io/arrow/cloud_object.h"
#include "portatune/io/arrow/input_file.h"
#include "portatune/io/arrow/table_file.h"
#include "portatune/io/arrow/text_batches.h"
#include "portatune/io/plugin/arrow_api.h"

namespace plugin = portatune::arrow_plugin;

struct PortatuneArrowTable {
  std::unique_ptr<plugin::TableFile> file;
  arrow::MemoryPool* pool;
};
struct PortatuneArrowObject {
  std::unique_ptr<plugin::CloudObject> object;
};

namespace {

// The single pool of all files, because its limit covers them together. Never destroyed: Arrow's threads may free
// memory after a file is closed and at the end of the program.
arrow::MemoryPool* capped_pool(int64_t memory_bytes) {
  static arrow::MemoryPool* const pool =
      std::make_unique<arrow::CappedMemoryPool>(arrow::default_memory_pool(), memory_bytes).release();
  return pool;
}

// Arrow also returns IOError for bytes that cannot be decompressed. Errors of the system have an errno.
arrow::Status as_bad_data_unless_system(const arrow::Status& status) {
  const bool is_of_system = !status.IsIOError() || arrow::internal::ErrnoFromStatus(status) != 0;
  return is_of_system ? status : arrow::Status::Invalid(status.message());
}

PortatuneArrowFault fault_of_table(const arrow::Status& status) {
  return as_bad_data_unless_system(status).IsIOError() ? kPortatuneArrowIo : kPortatuneArrowBadData;
}

// Stores the first line of an error. Arrow sometimes adds the location in its sources on later lines.
void set_error(PortatuneArrowError* error, PortatuneArrowFault fault, std::string text) {
  text.resize(std::min(text.find('\n'), std::min(text.size(), sizeof error->message - 1)));
  error->fault = fault;
  std::memcpy(error->message, text.c_str(), text.size() + 1);
}

// Runs `action`, which returns a Status. Catches exceptions, because parquet throws.
template <class Action>
bool succeeds(const Action& action, PortatuneArrowFault (*fault_of)(const arrow::Status&), PortatuneArrowError* error) {
  try {
    const arrow::Status status = action();
    if (status.ok()) return true;
    set_error(error, fault_of(status), status.message());
  } catch (const std::exception& exception) {
    set_error(error, kPortatuneArrowBadData, exception.what());
  }
  return false;
}

// Converts exceptions to errors of a batch, because C cannot take exceptions.
class WithoutExceptions final : public arrow::RecordBatchReader {
 public:
  explicit WithoutExceptions(std::shared_ptr<arrow::RecordBatchReader> input) : input_(std::move(input)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return input_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    try {
      return as_bad_data_unless_system(input_->ReadNext(batch));
    } catch (const std::bad_alloc&) {
      return arrow::Status::OutOfMemory("out of memory");
    } catch (const std::exception& exception) {
      return arrow::Status::Invalid(exception.what());
    }
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> input_;
};

PortatuneArrowTable* open_table(const PortatuneArrowInput* input, int64_t memory_bytes, PortatuneArrowError* error) {
  std::unique_ptr<PortatuneArrowTable> table;
  const auto open = [&]() -> arrow::Status {
    table = std::make_unique<PortatuneArrowTable>(PortatuneArrowTable{nullptr, capped_pool(memory_bytes)});
    return plugin::open_table_file(plugin::input_file(*input, table->pool), table->pool).Value(&table->file);
  };
  return succeeds(open, fault_of_table, error) ? table.release() : nullptr;
}

void close_table(PortatuneArrowTable* table) { std::unique_ptr<PortatuneArrowTable>{table}; }

int64_t column_count(const PortatuneArrowTable* table) { return table->file->schema().num_fields(); }

const char* column_name(const PortatuneArrowTable* table, int64_t column) {
  return table->file->schema().field(static_cast<int>(column))->name().c_str();
}

int read(PortatuneArrowTable* table, const int64_t* columns, int64_t column_count, ArrowArrayStream* out,
         PortatuneArrowError* error) {
  const auto begin = [&]() -> arrow::Status {
    // Arrow returns unique columns in the order of the schema.
    std::vector<int> wanted(columns, columns + column_count), sorted = wanted, indices;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const int column : wanted) {
      indices.push_back(static_cast<int>(std::ranges::lower_bound(sorted, column) - sorted.begin()));
    }
    ARROW_ASSIGN_OR_RAISE(auto batches, table->file->read(sorted));
    ARROW_ASSIGN_OR_RAISE(auto texts, plugin::text_batches(std::move(batches), indices, table->pool));
    return arrow::ExportRecordBatchReader(std::make_shared<WithoutExceptions>(std::move(texts)), out);
  };
  return succeeds(begin, fault_of_table, error) ? 0 : 1;
}

PortatuneArrowObject* open_object(const char* url, PortatuneArrowError* error) {
  auto object = std::make_unique<PortatuneArrowObject>();
  const auto open = [&] { return plugin::CloudObject::open(url).Value(&object->object); };
  return succeeds(open, plugin::cloud_fault, error) ? object.release() : nullptr;
}

void close_object(PortatuneArrowObject* object) { std::unique_ptr<PortatuneArrowObject>{object}; }

int64_t object_size(const PortatuneArrowObject* object) { return object->object->size(); }

const char* object_identity(const PortatuneArrowObject* object) { return object->object->identity().c_str(); }

int64_t read_object(PortatuneArrowObject* object, int64_t offset, int64_t bytes, void* target,
                    PortatuneArrowError* error) {
  int64_t count = -1;
  const auto read = [&] { return object->object->read_at(offset, bytes, target).Value(&count); };
  return succeeds(read, plugin::cloud_fault, error) ? count : -1;
}

int list_folder(const char* url, int32_t folders, void (*take)(void*, const char*), void* self,
                PortatuneArrowError* error) {
  const auto list = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto names, folders != 0 ? plugin::cloud_folders(url) : plugin::cloud_objects(url));
    for (const std::string& name : names) take(self, name.c_str());
    return arrow::Status::OK();
  };
  return succeeds(list, plugin::cloud_fault, error) ? 0 : 1;
}

const PortatuneArrowApi kApi = {
    kPortatuneArrowVersion, open_table,  close_table,     column_count, column_name, read, open_object,
    close_object,           object_size, object_identity, read_object,  list_folder};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* portatune_arrow_api(void) { return &kApi; }
