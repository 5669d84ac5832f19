// The interface between Portatune and libportatune_audio.so, which decodes audio with libsndfile and resamples it with
// libsoxr. It is plain C, so that the command starts without these libraries.
#pragma once

#include <stdint.h>

extern "C" {

enum { kPortatuneAudioVersion = 1 };

struct PortatuneAudioError {
  char message[512];  // one line, zero-terminated
};

struct PortatuneAudioFile;  // an open file

struct PortatuneAudioFormat {
  int64_t frames;  // number of frames that the file declares, an estimate for some MP3 files; -1: it declares none
  int32_t rate;    // frames a second
  int32_t channels;
};

struct PortatuneAudioApi {
  int32_t version;  // kPortatuneAudioVersion; other versions have other members

  // Opens a file in memory, which must outlive the result. Returns null after an error.
  struct PortatuneAudioFile* (*open)(const void* bytes, int64_t size, struct PortatuneAudioFormat* format,
                                     struct PortatuneAudioError* error);
  void (*close)(struct PortatuneAudioFile* file);

  // Reads the next frames as the mean of their channels, in [-1, 1] for integers. Returns their number: fewer than
  // `frames` only at the end, negative after an error.
  int64_t (*read)(struct PortatuneAudioFile* file, int64_t frames, float* target, struct PortatuneAudioError* error);

  // Changes the sample rate of one channel from `from` to `to`, with the quality "HQ". Returns the number of samples,
  // at most `capacity`, negative after an error.
  int64_t (*resample)(const float* samples, int64_t count, int32_t from, int32_t to, float* target, int64_t capacity,
                      struct PortatuneAudioError* error);
};

// The only exported symbol of the library. Returns a PortatuneAudioApi.
const void* portatune_audio_api(void);

}  // extern "C"
