#include "portatune/media/audio/audio_plugin.h"

#include "portatune/io/plugin/own_plugin.h"

namespace portatune::audio {

const PortatuneAudioApi& audio_plugin(const std::string& needed_for) {
  constexpr io::OwnPlugin kPlugin{.file = "libportatune_audio.so",
                                  .variable = "PORTATUNE_AUDIO_PLUGIN",
                                  .function = "portatune_audio_api",
                                  .version = kPortatuneAudioVersion,
                                  .needed_for = "libsndfile and libsoxr read audio files",
                                  .fix = "apt-get install libsndfile1 libsoxr0"};
  return io::own_plugin<PortatuneAudioApi>(kPlugin, needed_for);
}

}  // namespace portatune::audio
