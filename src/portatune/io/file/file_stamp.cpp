#include "portatune/io/file/file_stamp.h"

#include <sys/stat.h>

namespace portatune::io {

FileStamp FileStamp::of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return {.bytes = found.st_size,
          .modified_s = found.st_mtim.tv_sec,
          .modified_ns = found.st_mtim.tv_nsec,
          .device = found.st_dev,
          .inode = found.st_ino};
}

std::string describe_change(const FileStamp& then, const FileStamp& now) {
  if (now.bytes < 0) return "the file no longer exists";
  if (now.bytes != then.bytes) return std::to_string(now.bytes) + " bytes instead of " + std::to_string(then.bytes);
  const bool is_other = now.inode != then.inode || now.device != then.device;
  return is_other ? "a different file with the same name" : "modified since the start";
}

}  // namespace portatune::io
