// The frame of a record in a TFRecord file: its length, the CRC of the length, the record, its CRC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::io {

inline constexpr int64_t kRecordHeader = 12;  ///< bytes before a record
inline constexpr int64_t kRecordFooter = 4;   ///< bytes after a record
/// Maximal bytes of a record. A larger length is not trusted.
inline constexpr int64_t kMaxRecordBytes = int64_t{1} << 30;

/// The length in these kRecordHeader bytes; nothing if its CRC is wrong.
std::optional<uint64_t> record_length(std::string_view header);
/// Returns whether these kRecordFooter bytes are the CRC of the record.
bool is_crc_of(std::string_view record, std::string_view footer);

// The bytes before and after a record.
std::string record_header(uint64_t length);
std::string record_footer(std::string_view record);

/// The position of a record: the number of records before it and its byte offset, in the decompressed content of a
/// compressed file.
struct RecordPosition {
  int64_t record = 0, offset = 0;
  bool operator==(const RecordPosition&) const = default;
};

/// File and record number, from 1: "train.tfrecord:17".
std::string file_and_record(const std::string& file, const RecordPosition& position);

// The errors of a record.
DataError wrong_length_crc(const std::string& file, const RecordPosition& position);
DataError wrong_record_crc(const std::string& file, const RecordPosition& position);
DataError too_long(const std::string& file, const RecordPosition& position, uint64_t length, int64_t limit);
DataError cut_short(const std::string& file, const RecordPosition& position, int64_t there);

}  // namespace portatune::io
