// Any bytes give questions, or errors.
#include "portatune/io/text/squad.h"

#include <cstdlib>

#include "memory_file.h"
#include "portatune/io/text/bad_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune;
  const MemoryFile file(data, size);
  io::SquadReader reader(file.path(), true);
  int64_t number = 0;
  read_all<io::BadRecordError, DataError>([&] {
    if (!reader.next()) return false;
    if (reader.number() <= number) std::abort();
    number = reader.number();
    return true;
  });
  return 0;
}
