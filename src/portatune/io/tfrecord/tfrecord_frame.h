// How a record stands in a TFRecord file: its length, the CRC of the length, the record, its CRC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune::io {

inline constexpr int64_t kRecordHeader = 12;  ///< bytes before a record
inline constexpr int64_t kRecordFooter = 4;   ///< bytes after it
/// Longer records are refused: their lengths would be somebody's wish, not a datum.
inline constexpr int64_t kMaxRecordBytes = int64_t{1} << 30;

/// The length that these kRecordHeader bytes hold; nothing if its CRC is another.
std::optional<uint64_t> record_length(std::string_view header);
/// Whether these kRecordFooter bytes are the CRC of the record.
bool is_crc_of(std::string_view record, std::string_view footer);

// What stands before a record, and after it.
std::string record_header(uint64_t length);
std::string record_footer(std::string_view record);

/// Where a record stands: how many are before it, and at which byte it begins. Of a compressed file in what it holds.
struct RecordPosition {
  int64_t record = 0, offset = 0;
  bool operator==(const RecordPosition&) const = default;
};

/// "train.tfrecord:17", records counted from 1.
std::string file_and_record(const std::string& file, const RecordPosition& position);

// What may be wrong with a record.
DataError wrong_length_crc(const std::string& file, const RecordPosition& position);
DataError wrong_record_crc(const std::string& file, const RecordPosition& position);
DataError too_long(const std::string& file, const RecordPosition& position, uint64_t length, int64_t limit);
DataError cut_short(const std::string& file, const RecordPosition& position, int64_t there);

}  // namespace portatune::io
