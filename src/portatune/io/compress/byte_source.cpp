#include "portatune/io/compress/byte_source.h"

#include <algorithm>
#include <vector>

namespace portatune::io {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::shared_ptr<const RandomAccessFile> file) : file_(std::move(file)) {}

  size_t read(std::span<char> target) override {
    const size_t count = file_->read_at(at_, target);
    at_ += static_cast<int64_t>(count);
    return count;
  }
  void skip(int64_t bytes) override { at_ += bytes; }
  std::optional<int64_t> size() const override { return file_->size(); }

 private:
  const std::shared_ptr<const RandomAccessFile> file_;
  int64_t at_ = 0;
};

}  // namespace

void skip_by_reading(ByteSource& source, int64_t bytes) {
  constexpr int64_t kBlock = 64 * 1024;
  std::vector<char> skipped(static_cast<size_t>(std::min(bytes, kBlock)));
  while (bytes > 0) {
    const size_t count = source.read(std::span(skipped).first(static_cast<size_t>(std::min(bytes, kBlock))));
    if (count == 0) return;
    bytes -= static_cast<int64_t>(count);
  }
}

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return bytes_of(open_random_access(path, Access::kSequential));
}

std::unique_ptr<ByteSource> bytes_of(std::shared_ptr<const RandomAccessFile> file) {
  return std::make_unique<FileSource>(std::move(file));
}

}  // namespace portatune::io
