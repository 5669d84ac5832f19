// Records of tests/data/tfrecord and of damaged files.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/temporary_folder.h"
#include "portatune/io/tfrecord/tfrecord_index.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"
#include "portatune/io/tfrecord/tfrecord_writer.h"

namespace portatune::io {

inline const std::filesystem::path kTfrecordData = std::filesystem::path(PORTATUNE_TEST_DATA) / "tfrecord";

inline nlohmann::json tfrecord_case(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(kTfrecordData / name));
}

inline std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

inline std::vector<std::string> records_of(TfrecordReader& reader) {
  std::vector<std::string> records;
  while (const auto record = reader.next()) records.emplace_back(*record);
  return records;
}

inline std::vector<std::string> records_of(const std::filesystem::path& file) {
  TfrecordReader reader(file.string());
  return records_of(reader);
}

// Writes an index with any content and a valid checksum.
inline void write_index(const std::filesystem::path& file, const std::vector<int64_t>& offsets, int64_t end,
                        int64_t file_bytes, bool is_compressed = false) {
  TfrecordIndexWriter index(file.string());
  for (const int64_t offset : offsets) index.add(offset);
  index.finish(end, file_bytes, is_compressed);
  index.commit();
}

inline void write_records(const std::filesystem::path& file, const std::vector<std::string>& records,
                          const TfrecordWriter::Options& options = {.index = false}) {
  TfrecordWriter writer(file.string(), options);
  for (const std::string& record : records) writer.write(record);
  writer.finish();
  TfrecordWriter::commit_together({&writer});
}

}  // namespace portatune::io
