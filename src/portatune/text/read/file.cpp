#include "portatune/text/read/file.h"

#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

std::string read_file(const std::filesystem::path& file) {
  try {
    return io::read_text(file, kMaxFileBytes);
  } catch (const DataError& error) {  // a file that is too large is the model's fault here
    throw CheckpointError(error.report());
  }
}

}  // namespace portatune::text
