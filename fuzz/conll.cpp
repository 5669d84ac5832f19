// Any bytes give sentences with at least one token and as many tags or none, or errors.
#include "portatune/io/text/conll.h"

#include <cstdlib>

#include "memory_file.h"
#include "portatune/io/text/bad_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune;
  const MemoryFile file(data, size);
  io::ConllReader reader(file.path());
  int64_t line = 0;
  read_all<io::BadRecordError, DataError>([&] {
    if (!reader.next()) return false;
    if (reader.tokens().empty() || reader.line() <= line) std::abort();
    if (!reader.tags().empty() && reader.tags().size() != reader.tokens().size()) std::abort();
    line = reader.line();
    return true;
  });
  return 0;
}
