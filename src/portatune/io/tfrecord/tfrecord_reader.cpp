#include "portatune/io/tfrecord/tfrecord_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "portatune/io/compress/decompress.h"
#include "portatune/io/tfrecord/tfrecord_index.h"

namespace portatune::io {
namespace {

constexpr int64_t kBlock = 256 * 1024;
constexpr int64_t kFrame = kRecordHeader + kRecordFooter;

// Returns whether data begin like zlib (RFC 1950). Some text begins in the same way, but text is not expected here.
bool is_zlib(std::string_view begin) {
  if (begin.size() < 2 || begin[0] != 0x78) return false;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(begin[i]); };
  return (byte(0) * 256 + byte(1)) % 31 == 0;
}

// Returns whether data begin with a valid record length. The first bytes alone could be a compressed file, too; the
// checksum decides.
bool is_length(std::string_view begin) {
  return std::ssize(begin) >= kRecordHeader && record_length(begin.substr(0, kRecordHeader));
}

}  // namespace

TfrecordReader::TfrecordReader(std::string path, int64_t max_record_bytes)
    : path_(std::move(path)), max_record_bytes_(max_record_bytes), buffer_(kBlock) {
  open();
}

TfrecordReader::TfrecordReader(std::unique_ptr<ByteSource> bytes, std::string name, int64_t max_record_bytes)
    : path_(std::move(name)), max_record_bytes_(max_record_bytes), source_(std::move(bytes)), buffer_(kBlock) {}

void TfrecordReader::open() {
  const std::shared_ptr<const RandomAccessFile> file = open_random_access(path_, Access::kSequential);
  source_ = bytes_of(file);
  has(kRecordHeader);
  const std::string_view begin(buffer_.data(), end_);
  is_compressed_ = !is_length(begin) && (is_zlib(begin) || compression_of(begin) != Compression::kNone);
  if (!is_compressed_) return;
  source_ = is_zlib(begin) ? inflate(bytes_of(file), path_) : decompressed_bytes_of(file, path_);
  begin_ = end_ = 0;
}

std::optional<std::string_view> TfrecordReader::next() {
  const std::optional<int64_t> length = next_length();
  if (!length) return std::nullopt;
  if (!has(*length + kFrame)) lose_rest(cut_short(path_, position_, unread()));
  const RecordPosition here = position_;
  const std::string_view record(buffer_.data() + begin_ + kRecordHeader, static_cast<size_t>(*length));
  pass(*length + kFrame);
  if (!is_crc_of(record, {record.data() + record.size(), kRecordFooter})) throw wrong_record_crc(path_, here);
  return record;
}

int64_t TfrecordReader::skip(int64_t count) {
  int64_t skipped = 0;
  for (; skipped < count; ++skipped) {
    const std::optional<int64_t> length = next_length();
    if (!length) break;
    const bool is_there = source_->size() ? *length + kFrame <= bytes_left() : has(*length + kFrame);
    if (!is_there) lose_rest(cut_short(path_, position_, bytes_left().value_or(unread())));
    pass(*length + kFrame);
  }
  return skipped;
}

void TfrecordReader::seek(RecordPosition position) {
  if (position.offset < position_.offset) {
    throw UsageError({.where = file_and_record(path_, position_),
                      .given = "a seek to byte offset " + std::to_string(position.offset),
                      .expected = "at least " + std::to_string(position_.offset) + ", the position of the reader"});
  }
  pass(position.offset - position_.offset);
  position_ = position;
}

// The length of the next record, whose header is checked; nothing at the end.
std::optional<int64_t> TfrecordReader::next_length() {
  if (rest_is_lost_) return std::nullopt;
  if (!has(kRecordHeader)) {
    if (unread() == 0) return std::nullopt;
    lose_rest(cut_short(path_, position_, unread()));
  }
  const auto length = record_length({buffer_.data() + begin_, kRecordHeader});
  if (!length) lose_rest(wrong_length_crc(path_, position_));
  return require_length(*length);
}

// Checks a length before memory is allocated for it.
int64_t TfrecordReader::require_length(uint64_t length) {
  if (length > static_cast<uint64_t>(max_record_bytes_)) {
    lose_rest(too_long(path_, position_, length, max_record_bytes_));
  }
  const auto signed_length = static_cast<int64_t>(length);
  if (const auto left = bytes_left(); left && signed_length + kFrame > *left) {
    lose_rest(cut_short(path_, position_, *left));
  }
  return signed_length;
}

std::optional<int64_t> TfrecordReader::bytes_left() const {
  const std::optional<int64_t> size = source_->size();
  return size ? std::optional(*size - position_.offset) : std::nullopt;
}

bool TfrecordReader::read_until(int64_t bytes) {
  while (unread() < bytes) {
    make_room(bytes);
    const size_t count = source_->read(std::span(buffer_).subspan(end_));
    if (count == 0) return false;
    end_ += count;
  }
  return true;
}

// Moves the unread bytes to the front. Grows with the bytes really read, so that a false length in a compressed file
// needs no memory.
void TfrecordReader::make_room(int64_t bytes) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ < buffer_.size()) return;
  buffer_.resize(std::min<size_t>(2 * buffer_.size(), std::max(static_cast<size_t>(bytes), size_t{kBlock})));
}

void TfrecordReader::pass(int64_t bytes) {
  const int64_t read = std::min(bytes, unread());
  begin_ += static_cast<size_t>(read);
  if (bytes > read) source_->skip(bytes - read);
  position_ = {position_.record + 1, position_.offset + bytes};
}

void TfrecordReader::lose_rest(const DataError& error) {
  rest_is_lost_ = true;
  throw error;
}

std::string_view read_record(const RandomAccessFile& file, const std::string& path, const RecordPosition& position,
                             int64_t end, int64_t max_record_bytes, std::string& buffer) {
  const int64_t expected = std::max<int64_t>(0, end - position.offset - kFrame);
  if (expected > max_record_bytes) throw too_long(path, position, static_cast<uint64_t>(expected), max_record_bytes);
  buffer.resize(static_cast<size_t>(expected + kFrame));
  const size_t count = file.read_at(position.offset, buffer);
  if (count < buffer.size()) throw cut_short(path, position, static_cast<int64_t>(count));
  const std::string_view bytes = buffer;
  const auto length = record_length(bytes.substr(0, kRecordHeader));
  if (!length) throw wrong_length_crc(path, position);
  if (*length != static_cast<uint64_t>(expected)) {
    throw DataError({.where = file_and_record(path, position),
                     .given = "a record of " + std::to_string(*length) + " bytes",
                     .expected = std::to_string(expected) + " bytes, as in the index",
                     .fix = advice_to_index(path)});
  }
  const std::string_view record = bytes.substr(kRecordHeader, *length);
  if (!is_crc_of(record, bytes.substr(kRecordHeader + *length))) throw wrong_record_crc(path, position);
  return record;
}

}  // namespace portatune::io
