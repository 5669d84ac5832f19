// A file in memory, for readers of files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : number_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (number_ < 0 || write(number_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

/// Reads all records with `next`, skipping bad records, until another error or the end.
/// BadRecord  error of next() for a bad record that it skips
/// Fatal      any other error of next()
template <class BadRecord, class Fatal, class Next>
void read_all(const Next& next) {
  for (bool more = true; more;) {
    try {
      more = next();
    } catch (const BadRecord&) {
    } catch (const Fatal&) {
      return;
    }
  }
}
