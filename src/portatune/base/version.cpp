#include "portatune/base/version.h"

namespace portatune {

std::string_view version() { return PORTATUNE_VERSION; }

}  // namespace portatune
