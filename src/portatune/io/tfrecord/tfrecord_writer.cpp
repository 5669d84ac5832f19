#include "portatune/io/tfrecord/tfrecord_writer.h"

#include <zlib.h>

#include <filesystem>
#include <functional>
#include <new>
#include <vector>

#include "portatune/io/tfrecord/tfrecord_frame.h"

namespace portatune::io {
namespace {

constexpr size_t kWriterBlock = 256 * 1024;  // small, because each of many shards has one
constexpr size_t kGzipBlock = 64 * 1024;

}  // namespace

// Writes one gzip member.
class TfrecordWriter::Gzip {
 public:
  explicit Gzip(std::function<void(std::string_view)> take) : take_(std::move(take)), output_(kGzipBlock) {
    constexpr int kGzip = 15 + 16, kUsualMemory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }
  void finish() { run({}, Z_FINISH); }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      deflate(&stream_, flush);
      take_({output_.data(), output_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::function<void(std::string_view)> take_;
  std::vector<char> output_;
  z_stream stream_ = {};
};

namespace {

// Requires that `path` is unused or a regular file, because the writer replaces it.
const std::string& replaceable(const std::string& path) {
  if (!std::filesystem::exists(path) || std::filesystem::is_regular_file(path)) return path;
  throw UsageError({.where = path, .given = "not a regular file", .expected = "a regular file, or an unused path"});
}

}  // namespace

TfrecordWriter::TfrecordWriter(const std::string& path, const Options& options) : path_(path), out_(replaceable(path)) {
  if (options.gzip) gzip_ = std::make_unique<Gzip>([this](std::string_view bytes) { write_out(bytes); });
  if (options.index) index_.emplace(path);
  buffer_.reserve(kWriterBlock);
}

TfrecordWriter::~TfrecordWriter() = default;

void TfrecordWriter::write(std::string_view record) {
  if (std::ssize(record) > kMaxRecordBytes) {
    throw UsageError({.where = path_,
                      .given = "a record of " + std::to_string(record.size()) + " bytes",
                      .expected = "at most " + std::to_string(kMaxRecordBytes)});
  }
  if (index_) index_->add(end_);
  append(record_header(record.size()));
  append(record);
  append(record_footer(record));
  end_ += kRecordHeader + std::ssize(record) + kRecordFooter;
}

void TfrecordWriter::append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kWriterBlock) flush();
  if (bytes.size() < kWriterBlock) {
    buffer_ += bytes;
  } else if (gzip_) {
    gzip_->write(bytes);
  } else {
    write_out(bytes);
  }
}

void TfrecordWriter::flush() {
  gzip_ ? gzip_->write(buffer_) : write_out(buffer_);
  buffer_.clear();
}

void TfrecordWriter::write_out(std::string_view bytes) {
  out_.write(bytes);
  file_bytes_ += std::ssize(bytes);
}

void TfrecordWriter::finish() {
  flush();
  if (gzip_) gzip_->finish();
  out_.finish();
  if (index_) index_->finish(end_, file_bytes_, gzip_ != nullptr);
}

void TfrecordWriter::commit_together(const std::vector<TfrecordWriter*>& writers) {
  std::vector<AtomicFile*> files;
  std::vector<std::filesystem::path> older_indexes;  // indexes of replaced files
  for (TfrecordWriter* writer : writers) {
    files.push_back(&writer->out_);
    if (writer->index_) {
      files.push_back(&writer->index_->file());
    } else {
      older_indexes.push_back(index_path(writer->path_));
    }
  }
  AtomicFile::commit_together(files, older_indexes);
}

}  // namespace portatune::io
