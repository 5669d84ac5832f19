#include "portatune/io/file/free_space.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::io {

std::optional<int64_t> free_bytes(const std::filesystem::path& folder) {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (unknown || space.capacity == 0) return std::nullopt;
  return static_cast<int64_t>(std::min<uintmax_t>(space.available, std::numeric_limits<int64_t>::max()));
}

void require_free_bytes(const std::filesystem::path& folder, int64_t bytes, const std::string& what) {
  const std::optional<int64_t> free = free_bytes(folder);
  if (!free || *free >= bytes) return;
  throw IoError({.where = "writing " + what + " to " + folder.string(),
                 .given = "a disk with " + counted(*free, "free byte"),
                 .expected = counted(bytes, "byte"),
                 .fix = "free some space, or write to another disk"},
                ENOSPC);
}

}  // namespace portatune::io
