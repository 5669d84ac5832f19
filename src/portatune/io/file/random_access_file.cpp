#include "portatune/io/file/random_access_file.h"

#include "portatune/io/file/local_file.h"
#include "portatune/io/remote/read_ahead.h"
#include "portatune/io/remote/remote_file.h"

namespace portatune::io {

bool is_remote(std::string_view path) { return path.find("://") != std::string_view::npos || path.starts_with("hf:"); }

std::shared_ptr<const RandomAccessFile> open_random_access(const std::string& path, Access access) {
  if (!is_remote(path)) return open_local(path, access);
  std::shared_ptr<const RandomAccessFile> file = open_remote(path);
  return access == Access::kSequential ? read_ahead(std::move(file)) : file;
}

}  // namespace portatune::io
