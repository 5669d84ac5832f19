#include "portatune/io/plugin/arrow_table.h"

#include <cerrno>
#include <exception>
#include <mutex>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/plugin/arrow_plugin.h"
#include "portatune/io/text/bad_record.h"
#include "portatune/io/text/text_file.h"

namespace portatune::io {
namespace {

[[noreturn]] void fail(const std::string& path, const PortatuneArrowError& error) {
  if (error.fault == kPortatuneArrowIo) throw IoError({.where = path, .given = error.message}, EIO);
  throw DataError({.where = path, .given = error.message, .expected = "a Parquet or Arrow file"});
}

// A C struct of Arrow that the destructor releases.
template <class Struct>
struct Owned : Struct {
  Owned() : Struct{} {}
  ~Owned() { reset(); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  void reset() {
    if (this->release != nullptr) this->release(this);
    this->release = nullptr;
  }
};

// A file that Arrow reads. It stores an exception, because C cannot pass it on.
class Input {
 public:
  explicit Input(const std::string& path) : file_(open_random_access(path, Access::kSequential)) {}

  const PortatuneArrowInput* c_struct() const { return &c_struct_; }
  void rethrow_error() const {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static int64_t read_at(void* self, int64_t offset, int64_t bytes, void* target) {
    auto& input = *static_cast<Input*>(self);
    const StopScope scope(input.stop_);
    try {
      const std::span bytes_there(static_cast<char*>(target), static_cast<size_t>(bytes));
      return static_cast<int64_t>(input.file_->read_at(offset, bytes_there));
    } catch (...) {
      const std::lock_guard lock(input.mutex_);
      input.error_ = std::current_exception();
      return -1;
    }
  }

  const StopToken stop_ = current_stop();  // also for Arrow's own threads
  const std::shared_ptr<const RandomAccessFile> file_;
  const PortatuneArrowInput c_struct_{.self = this, .size = file_->size(), .read_at = read_at};
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

struct ArrowTable::Stream {
  struct Close {
    const PortatuneArrowApi* api;
    void operator()(PortatuneArrowTable* table) const { api->close_table(table); }
  };

  const PortatuneArrowApi& api;
  Input input;
  std::unique_ptr<PortatuneArrowTable, Close> table;  // declared before the batches, because it must outlive them
  Owned<ArrowArrayStream> batches;
  Owned<ArrowArray> batch;
  int64_t at = 0;  // row in the batch

  Stream(const std::string& path, int64_t memory_bytes)
      : api(arrow_plugin(path)), input(path), table(nullptr, Close{&api}) {
    PortatuneArrowError error;
    table.reset(api.open_table(input.c_struct(), memory_bytes, &error));
    if (table != nullptr) return;
    input.rethrow_error();
    fail(path, error);
  }
};

ArrowTable::ArrowTable(std::string path, int64_t memory_bytes)
    : path_(std::move(path)), memory_bytes_(memory_bytes), stream_(std::make_unique<Stream>(path_, memory_bytes)) {
  const int64_t count = stream_->api.column_count(stream_->table.get());
  for (int64_t i = 0; i < count; ++i) columns_.emplace_back(stream_->api.column_name(stream_->table.get(), i));
}

ArrowTable::~ArrowTable() = default;

void ArrowTable::select(const std::vector<int64_t>& columns) {
  PortatuneArrowError error;
  const int status = stream_->api.read(stream_->table.get(), columns.data(), static_cast<int64_t>(columns.size()),
                                       &stream_->batches, &error);
  if (status != 0) {
    stream_->input.rethrow_error();
    fail(path_, error);
  }
  selected_ = columns;
}

bool ArrowTable::next() {
  if (!go_to_next()) return false;
  for (size_t i = 0; i < selected_.size(); ++i) {
    if (!is_null(i)) continue;
    throw BadRecordError(
        {.where = file_and_line(path_, row_),
         .given = "bytes that are not UTF-8 in column " + in_quotes(columns_[static_cast<size_t>(selected_[i])]),
         .expected = "text in UTF-8"});
  }
  return true;
}

int64_t ArrowTable::skip(int64_t rows) {
  int64_t skipped = 0;
  while (skipped < rows && go_to_next()) ++skipped;
  return skipped;
}

bool ArrowTable::go_to_next() {
  ++stream_->at;
  while (stream_->batch.release == nullptr || stream_->at >= stream_->batch.length) {
    if (!next_batch()) return false;
  }
  ++row_;
  return true;
}

// Goes to the next batch, which may be empty; returns false at the end.
bool ArrowTable::next_batch() {
  stream_->batch.reset();
  stream_->at = 0;
  ArrowArrayStream& batches = stream_->batches;
  const int status = batches.get_next(&batches, &stream_->batch);
  if (status == 0) return stream_->batch.release != nullptr;
  stream_->input.rethrow_error();
  const char* const message = batches.get_last_error(&batches);
  const std::string given = message == nullptr ? "data that Arrow cannot read" : message;
  const std::string where = path_ + ", after row " + std::to_string(row_);
  if (status == EIO) throw IoError({.where = where, .given = given}, status);
  if (status == ENOMEM) {
    throw DataError({.where = where,
                     .given = "a batch of rows that needs more memory than " + std::to_string(memory_bytes_) + " bytes",
                     .expected = "smaller row groups or batches"});
  }
  throw DataError({.where = where, .given = given, .expected = "a complete Parquet or Arrow file"});
}

// Reads the validity bit. An array without nulls may have no bits.
bool ArrowTable::is_null(size_t column) const {
  const ArrowArray& array = *stream_->batch.children[column];
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[0]);
  const int64_t row = array.offset + stream_->at;
  return bits != nullptr && (bits[row / 8] >> row % 8 & 1) == 0;
}

// large_utf8 and large_binary have offsets in buffer 1 and characters in buffer 2.
std::string_view ArrowTable::value(size_t column) const {
  const ArrowArray& array = *stream_->batch.children[column];
  const auto* const offsets = static_cast<const int64_t*>(array.buffers[1]) + array.offset + stream_->at;
  const auto* const characters = static_cast<const char*>(array.buffers[2]);
  return {characters + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

}  // namespace portatune::io
