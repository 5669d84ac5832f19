// Any bytes give records with equal numbers of fields, or errors. The first byte selects the format. Compressed bytes
// are decompressed.
#include "portatune/io/text/csv.h"

#include <cstdlib>

#include "memory_file.h"
#include "portatune/io/text/bad_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune;
  if (size == 0) return 0;
  const bool tabs = (data[0] & 1) != 0, quoting = (data[0] & 2) == 0;
  const MemoryFile file(data + 1, size - 1);
  io::CsvReader reader(file.path(), {.delimiter = tabs ? '\t' : ',',
                                     .quoting = quoting,
                                     .max_field_bytes = 1 << 16,
                                     .max_record_bytes = 1 << 18,
                                     .max_fields = 1000});
  size_t fields = 0, bytes = 0;
  int64_t line = 0;
  read_all<io::BadRecordError, DataError>([&] {
    if (!reader.next()) return false;
    if (fields != 0 && reader.fields().size() != fields) std::abort();
    if (reader.line() <= line) std::abort();
    fields = reader.fields().size();
    line = reader.line();
    for (const std::string_view field : reader.fields()) bytes += field.size();
    return true;
  });
  return bytes > (size_t{1} << 40) ? 1 : 0;  // makes the fields necessary for the result
}
