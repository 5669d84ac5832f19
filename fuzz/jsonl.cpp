// Any bytes give objects with distinct keys, or errors.
#include "portatune/io/text/jsonl.h"

#include <cstdlib>

#include "memory_file.h"
#include "portatune/base/text/utf8.h"
#include "portatune/io/text/bad_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune;
  const MemoryFile file(data, size);
  io::JsonlReader reader(file.path(), {}, 1 << 16);
  int64_t line = 0;
  read_all<io::BadRecordError, DataError>([&] {
    if (!reader.next()) return false;
    if (reader.fields().size() != reader.keys().size() || reader.line() <= line) std::abort();
    line = reader.line();
    for (const auto& [key, value] : reader.fields()) {
      if (find_invalid_utf8(key) != std::string_view::npos) std::abort();
      if (find_invalid_utf8(value) != std::string_view::npos) std::abort();
    }
    return true;
  });
  return 0;
}
