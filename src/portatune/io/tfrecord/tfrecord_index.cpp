#include "portatune/io/tfrecord/tfrecord_index.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/base/text/shell_word.h"
#include "portatune/error.h"
#include "portatune/io/checksum/crc32c.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"

namespace portatune::io {
namespace {

constexpr std::string_view kMagic = "PTFIDX01";
constexpr int64_t kOffset = 8;

struct Trailer {
  int64_t records = 0, end = 0, file_bytes = 0;
  uint32_t is_compressed = 0, crc = 0;
  char magic[8] = {};
};
static_assert(sizeof(Trailer) == 40);
constexpr int64_t kCrcOffset = 28;  // offset of the CRC in the trailer; the CRC covers all bytes before it

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

DataError unfit(const std::string& file, const std::string& given, const std::string& expected) {
  return DataError({.where = index_path(file), .given = given, .expected = expected, .fix = advice_to_index(file)});
}

Trailer trailer_of(std::string_view bytes, const std::string& file) {
  Trailer trailer;
  const DataError damaged = unfit(file, "a damaged index", "an index written by `portatune tfrecord`");
  if (bytes.size() < sizeof trailer) throw damaged;
  const size_t begin = bytes.size() - sizeof trailer;
  std::memcpy(&trailer, bytes.data() + begin, sizeof trailer);
  const bool is_whole = std::string_view(trailer.magic, sizeof trailer.magic) == kMagic &&
                        trailer.records == static_cast<int64_t>(begin) / kOffset && begin % kOffset == 0 &&
                        trailer.crc == masked_crc32c(bytes.substr(0, begin + kCrcOffset));
  if (!is_whole) throw damaged;
  return trailer;
}

std::optional<MappedFile> map_if_there(const std::string& file) {
  const bool is_signed = is_remote(file) && file.find('?') != std::string::npos;  // the signature is for this file only
  if (is_signed) return std::nullopt;
  try {
    return MappedFile::open(index_path(file));
  } catch (const NotFoundError&) {
    return std::nullopt;
  } catch (const IoError& error) {
    // Clouds return EACCES for a missing object if the user may not list the folder.
    if (is_remote(file) && error.error_number() == EACCES) return std::nullopt;
    throw;
  }
}

}  // namespace

std::string index_path(const std::string& file) { return file + ".index"; }

std::string advice_to_index(const std::string& file) {
  if (is_remote(file))
    return "build it again from a local copy of the file, and upload it: portatune tfrecord index FILE";
  return "build it again: portatune tfrecord index " + shell_word(file);
}

std::optional<TfrecordIndex> TfrecordIndex::open(const std::string& file, int64_t file_bytes) {
  std::optional<MappedFile> bytes = map_if_there(file);
  if (!bytes) return std::nullopt;
  TfrecordIndex index(std::move(*bytes));
  const Trailer trailer = trailer_of(text_of(index.file_.bytes()), file);
  if (trailer.file_bytes != file_bytes) {
    throw unfit(file, "the index of a file of " + std::to_string(trailer.file_bytes) + " bytes",
                "the index of a file of " + std::to_string(file_bytes) + " bytes, the size of " + file);
  }
  index.records_ = trailer.records;
  index.end_ = trailer.end;
  index.is_compressed_ = trailer.is_compressed != 0;
  if (!index.is_compressed_ && index.end_ != file_bytes) {
    throw unfit(file, "records up to byte offset " + std::to_string(index.end_),
                "records up to byte offset " + std::to_string(file_bytes) + ", the end of " + file);
  }
  index.require_order(file);
  return index;
}

// Requires that the first record begins at 0 and that records do not overlap.
void TfrecordIndex::require_order(const std::string& file) const {
  constexpr int64_t kMinBytes = kRecordHeader + kRecordFooter;  // minimal bytes of a framed record
  if (position(0).offset != 0) throw unfit(file, description_of(0), "the first record at byte offset 0");
  for (int64_t record = 1; record <= records_; ++record) {
    const int64_t before = position(record - 1).offset, offset = position(record).offset;
    if (offset >= before && offset - before >= kMinBytes) continue;
    throw unfit(file, description_of(record),
                "at least " + std::to_string(kMinBytes) + " bytes after " + std::to_string(before) +
                    ", the byte offset of the previous record");
  }
}

void TfrecordIndex::require(const std::string& file, const RecordPosition& found) const {
  if (found.record > records_) {
    throw unfit(file, "an index of " + counted(records_, "record"),
                "at least " + counted(found.record, "record") + ", as in " + file);
  }
  if (position(found.record) == found) return;
  throw unfit(file, description_of(found.record), "byte offset " + std::to_string(found.offset) + ", as in " + file);
}

// A record and its offset for messages. The record after the last one is the end.
std::string TfrecordIndex::description_of(int64_t record) const {
  return (record == records_ ? "an end" : "record " + std::to_string(record + 1)) + " at byte offset " +
         std::to_string(position(record).offset);
}

RecordPosition TfrecordIndex::position(int64_t record) const {
  RecordPosition position{.record = record, .offset = end_};
  if (record < records_) std::memcpy(&position.offset, file_.bytes().data() + record * kOffset, kOffset);
  return position;
}

void TfrecordIndexWriter::add(int64_t offset) {
  buffer_.append(reinterpret_cast<const char*>(&offset), sizeof offset);
  ++records_;
  constexpr size_t kBlock = 64 * 1024;
  if (buffer_.size() >= kBlock) flush();
}

void TfrecordIndexWriter::flush() {
  crc_ = crc32c(buffer_, crc_);
  out_.write(buffer_);
  buffer_.clear();
}

void TfrecordIndexWriter::finish(int64_t end, int64_t file_bytes, bool is_compressed) {
  flush();
  Trailer trailer{.records = records_, .end = end, .file_bytes = file_bytes, .is_compressed = is_compressed};
  kMagic.copy(trailer.magic, sizeof trailer.magic);
  const std::string_view bytes(reinterpret_cast<const char*>(&trailer), sizeof trailer);
  trailer.crc = mask_crc32c(crc32c(bytes.substr(0, kCrcOffset), crc_));
  out_.write(bytes);
  out_.finish();
}

int64_t make_index(const std::string& file) {
  if (is_remote(file)) {
    throw UsageError(
        {.where = file, .given = "a remote file", .expected = "a local file, because the index is written next to it"});
  }
  TfrecordReader reader(file);
  remove_leftovers(std::vector<std::filesystem::path>{index_path(file)});
  TfrecordIndexWriter index(file);
  for (RecordPosition at = reader.position(); reader.next(); at = reader.position()) index.add(at.offset);
  index.finish(reader.position().offset, static_cast<int64_t>(std::filesystem::file_size(file)),
               reader.is_compressed());
  index.commit();
  return index.records();
}

}  // namespace portatune::io
