#include "portatune/text/read/file.h"

#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

std::string read_file(const std::filesystem::path& file) {
  try {
    return io::read_text(file, kMaxFileBytes);
  } catch (const DataError& error) {  // too long: here that is the model's fault
    throw CheckpointError(error.report());
  }
}

}  // namespace portatune::text
