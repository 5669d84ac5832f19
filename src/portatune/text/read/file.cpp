#include "portatune/text/read/file.h"

#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/io/file/git_lfs.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

std::string read_file(const std::filesystem::path& file) {
  try {
    std::string content = io::read_text(file, kMaxFileBytes);
    io::refuse_git_lfs_pointer<CheckpointError>(content, file.string());
    return content;
  } catch (const DataError& error) {  // a file that is too large is the model's fault here
    throw CheckpointError(error.report());
  }
}

}  // namespace portatune::text
