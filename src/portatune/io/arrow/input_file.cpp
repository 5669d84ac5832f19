#include "portatune/io/arrow/input_file.h"

#include <arrow/buffer.h>
#include <arrow/util/io_util.h>

#include <cerrno>

namespace portatune::arrow_plugin {
namespace {

using arrow::Result;
using arrow::Status;

class InputFile final : public arrow::io::RandomAccessFile {
 public:
  InputFile(const PortatuneArrowInput& input, arrow::MemoryPool* pool) : input_(input), pool_(pool) {}

  Status Close() override {
    closed_ = true;
    return Status::OK();
  }
  bool closed() const override { return closed_; }
  Result<int64_t> GetSize() override { return input_.size; }
  Result<int64_t> Tell() const override { return position_; }
  Status Seek(int64_t position) override {
    position_ = position;
    return Status::OK();
  }

  using RandomAccessFile::ReadAt;
  Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    const int64_t count = input_.read_at(input_.self, position, bytes, out);
    if (count >= 0) return count;
    return arrow::internal::IOErrorFromErrno(EIO, "reading failed");  // the command knows the error
  }
  Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes, pool_));
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ReadAt(position, bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(count));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

  Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ReadAt(position_, bytes, out));
    position_ += count;
    return count;
  }
  Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
    position_ += buffer->size();
    return buffer;
  }

 private:
  const PortatuneArrowInput& input_;
  arrow::MemoryPool* const pool_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> input_file(const PortatuneArrowInput& input, arrow::MemoryPool* pool) {
  return std::make_shared<InputFile>(input, pool);
}

}  // namespace portatune::arrow_plugin
