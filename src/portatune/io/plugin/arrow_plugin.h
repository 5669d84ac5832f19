// Access to libportatune_arrow.so, opened on first use.
#pragma once

#include <string>

#include "portatune/io/plugin/arrow_api.h"

namespace portatune::io {

/// Opens the plug-in on the first call and keeps it open. Its path is $PORTATUNE_ARROW_PLUGIN, or libportatune_arrow.so
/// next to the command or in ../lib/portatune.
/// needed_for  the path of the file that needs it, for errors
/// errors      DeviceError if it is missing or has another version
const PortatuneArrowApi& arrow_plugin(const std::string& needed_for);

}  // namespace portatune::io
