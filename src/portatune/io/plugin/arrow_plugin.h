// libportatune_arrow.so, opened when it is needed.
#pragma once

#include <string>

#include "portatune/io/plugin/arrow_api.h"

namespace portatune::io {

/// Opens the plug-in, once, and leaves it open: $PORTATUNE_ARROW_PLUGIN, or libportatune_arrow.so beside the command or
/// in
/// ../lib/portatune.
/// needed_for  what asks for it: a file's path
/// errors      DeviceError if it is missing or of another version
const PortatuneArrowApi& arrow_plugin(const std::string& needed_for);

}  // namespace portatune::io
