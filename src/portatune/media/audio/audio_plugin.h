// Access to libportatune_audio.so, opened on first use.
#pragma once

#include <string>

#include "portatune/media/audio/audio_api.h"

namespace portatune::audio {

/// Opens the plug-in on the first call and keeps it open. Its path is $PORTATUNE_AUDIO_PLUGIN, or libportatune_audio.so
/// next to the command or in ../lib/portatune.
/// needed_for  the name of the file that needs it, for errors
/// errors      DeviceError if it, or a library that it needs, is missing, or if it has another version
const PortatuneAudioApi& audio_plugin(const std::string& needed_for);

}  // namespace portatune::audio
