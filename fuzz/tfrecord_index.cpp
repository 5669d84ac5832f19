// Any bytes, followed by a valid checksum and magic, either throw DataError or give positions of consecutive records,
// at which reading finds records or throws DataError.
#include "portatune/io/tfrecord/tfrecord_index.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "portatune/error.h"
#include "portatune/io/checksum/crc32c.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/tfrecord/tfrecord_reader.h"
#include "portatune/io/tfrecord/tfrecord_writer.h"

namespace {

using namespace portatune;
using namespace portatune::io;

// The path of a file with records of 0 to 9 bytes, in its own temporary folder.
const std::string& file() {
  static const std::string path = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "portatune-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    const std::string file = pattern + "/a";
    TfrecordWriter writer(file, {.index = false});
    for (size_t i = 0; i < 10; ++i) writer.write(std::string(i, 'x'));
    writer.finish();
    TfrecordWriter::commit_together({&writer});
    return file;
  }();
  return path;
}

void read_by(const TfrecordIndex& index) {
  const auto opened = open_random_access(file());
  std::string buffer;
  for (int64_t i = 0; i < index.records(); ++i) {
    const RecordPosition at = index.position(i);
    const int64_t end = index.position(i + 1).offset;
    if (end - at.offset < kRecordHeader + kRecordFooter) std::abort();
    try {
      read_record(*opened, file(), at, end, kMaxRecordBytes, buffer);
    } catch (const DataError&) {
    }
    try {
      TfrecordReader reader(file());
      reader.skip(i / 2);
      index.require(file(), reader.position());
      reader.seek(at);
      reader.next();
    } catch (const DataError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto bytes = static_cast<int64_t>(std::filesystem::file_size(file()));
  std::string index(reinterpret_cast<const char*>(data), size);
  const uint32_t crc = masked_crc32c(index);
  index.append(reinterpret_cast<const char*>(&crc), sizeof crc) += "PTFIDX01";
  std::ofstream(index_path(file()), std::ios::binary) << index;
  try {
    read_by(*TfrecordIndex::open(file(), bytes));
  } catch (const DataError&) {
  }
  return 0;
}
