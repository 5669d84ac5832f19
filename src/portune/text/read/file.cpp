#include "portune/text/read/file.h"

#include "portune/error.h"
#include "portune/io/file.h"
#include "portune/text/read/spec.h"

namespace portune::text {

std::string read_file(const std::filesystem::path& file) {
  try {
    return io::read_text(file, kMaxFileBytes);
  } catch (const DataError& error) {  // too long: here that is the model's fault
    throw CheckpointError(error.report());
  }
}

}  // namespace portune::text
