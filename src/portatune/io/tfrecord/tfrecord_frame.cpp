#include "portatune/io/tfrecord/tfrecord_frame.h"

#include <cstring>

#include "portatune/io/checksum/crc32c.h"

namespace portatune::io {
namespace {

constexpr size_t kLengthBytes = 8;

// Numbers are little-endian, as on all machines that Portatune supports.
template <class T>
T number_at(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string at(const RecordPosition& position) { return " at byte offset " + std::to_string(position.offset); }

}  // namespace

std::optional<uint64_t> record_length(std::string_view header) {
  const bool is_right = masked_crc32c(header.substr(0, kLengthBytes)) == number_at<uint32_t>(header, kLengthBytes);
  return is_right ? std::optional(number_at<uint64_t>(header, 0)) : std::nullopt;
}

bool is_crc_of(std::string_view record, std::string_view footer) {
  return masked_crc32c(record) == number_at<uint32_t>(footer, 0);
}

std::string record_header(uint64_t length) {
  const std::string bytes = bytes_of(length);
  return bytes + bytes_of(masked_crc32c(bytes));
}

std::string record_footer(std::string_view record) { return bytes_of(masked_crc32c(record)); }

std::string file_and_record(const std::string& file, const RecordPosition& position) {
  return file + ":" + std::to_string(position.record + 1);
}

DataError wrong_length_crc(const std::string& file, const RecordPosition& position) {
  return DataError({.where = file_and_record(file, position),
                    .given = "a record length with a wrong checksum" + at(position),
                    .expected = "records of a TFRecord file; later records cannot be found",
                    .fix = position.offset == 0 ? "check that this is a TFRecord file" : ""});
}

DataError wrong_record_crc(const std::string& file, const RecordPosition& position) {
  return DataError({.where = file_and_record(file, position),
                    .given = "a record with a wrong checksum" + at(position),
                    .expected = "the bytes that the writer wrote"});
}

DataError too_long(const std::string& file, const RecordPosition& position, uint64_t length, int64_t limit) {
  return DataError({.where = file_and_record(file, position),
                    .given = "a record of " + std::to_string(length) + " bytes" + at(position),
                    .expected = "at most " + std::to_string(limit) + " bytes"});
}

DataError cut_short(const std::string& file, const RecordPosition& position, int64_t there) {
  return DataError({.where = file_and_record(file, position),
                    .given = "a file that ends " + std::to_string(there) + " bytes into the record" + at(position),
                    .expected = "complete records",
                    .fix = "write or copy the file again: its writer was not closed, or the copy is incomplete"});
}

}  // namespace portatune::io
