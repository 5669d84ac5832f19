// Any bytes either throw DataError or give finite samples that every feature extractor accepts.
#include <cmath>
#include <cstdlib>

#include "portatune/error.h"
#include "portatune/media.h"

namespace {

// The plug-in of this build. Without one nothing can be decoded.
bool use_plugin() {
#ifdef PORTATUNE_AUDIO
  return setenv("PORTATUNE_AUDIO_PLUGIN", PORTATUNE_AUDIO, 1) == 0;
#else
  return false;
#endif
}

void require_finite(const portatune::Tensor& features) {
  for (const float value : features.as<float>()) {
    if (!std::isfinite(value)) std::abort();
  }
}

}  // namespace

// libsndfile 1.2 does not free the headers of some damaged Ogg files.
extern "C" const char* __lsan_default_suppressions() { return "leak:libvorbis\n"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune::audio;
  static const bool has_plugin = use_plugin();
  static const Extractor waveform(ExtractorConfig{}), ast({.features = Features::kAst, .max_length = 50}),
      whisper({.features = Features::kWhisperMel, .chunk_length = 1});
  const auto file = std::as_bytes(std::span(data, size));
  if (!has_plugin) return is_audio(file) ? 0 : -1;
  try {
    const std::vector<float> samples = decode(file, "fuzz", {.max_seconds = 2});
    for (const Extractor* extractor : {&waveform, &ast, &whisper}) require_finite((*extractor)(samples));
  } catch (const portatune::DataError&) {
  }
  return 0;
}
