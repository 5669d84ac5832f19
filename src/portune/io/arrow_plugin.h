// libportune_arrow.so, opened when it is needed.
#pragma once

#include <string>

#include "portune/io/arrow_api.h"

namespace portune::io {

/// Opens the plug-in, once, and leaves it open: $PORTUNE_ARROW_PLUGIN, or libportune_arrow.so beside the command or in
/// ../lib/portune.
/// needed_for  what asks for it: a file's path
/// errors      DeviceError if it is missing or of another version
const PortuneArrowApi& arrow_plugin(const std::string& needed_for);

}  // namespace portune::io
