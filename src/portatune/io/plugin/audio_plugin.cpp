#include "portatune/io/plugin/audio_plugin.h"

#include <mutex>

#include "portatune/io/plugin/own_plugin.h"

namespace portatune::io {

const PortatuneAudioApi& audio_plugin(const std::string& needed_for) {
  constexpr OwnPlugin kPlugin{.file = "libportatune_audio.so",
                              .variable = "PORTATUNE_AUDIO_PLUGIN",
                              .function = "portatune_audio_api",
                              .version = kPortatuneAudioVersion,
                              .needed_for = "libsndfile and libsoxr read audio files",
                              .fix = "apt-get install libsndfile1 libsoxr0"};
  static std::mutex mutex;
  static const PortatuneAudioApi* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = static_cast<const PortatuneAudioApi*>(open_own_plugin(kPlugin, needed_for));
  return *api;
}

}  // namespace portatune::io
