// libportatune_audio.so: audio files by libsndfile, other sample rates by libsoxr. See media/audio/audio_api.h. No
// exception leaves it.
#include <sndfile.h>
#include <soxr.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "portatune/media/audio/audio_api.h"

struct PortatuneAudioFile {
  const char* bytes;
  sf_count_t size;
  sf_count_t position = 0;
  SF_INFO info = {};
  SNDFILE* file = nullptr;
  std::vector<float> frames;  // of all channels, for one read

  PortatuneAudioFile(const void* bytes, int64_t size) : bytes(static_cast<const char*>(bytes)), size(size) {}
  ~PortatuneAudioFile() {
    if (file != nullptr) sf_close(file);
  }
  PortatuneAudioFile(const PortatuneAudioFile&) = delete;
  PortatuneAudioFile& operator=(const PortatuneAudioFile&) = delete;
};

namespace {

void set_error(PortatuneAudioError* error, const char* text) {
  std::snprintf(error->message, sizeof error->message, "%s", text);
  error->message[std::strcspn(error->message, "\n")] = '\0';
}

// Runs `action`, which returns a result for C. Exceptions become `failed`.
template <class Result, class Action>
Result guarded(PortatuneAudioError* error, Result failed, const Action& action) {
  try {
    return action();
  } catch (const std::exception& exception) {
    set_error(error, exception.what());
    return failed;
  }
}

// ---- libsndfile's access to bytes in memory

sf_count_t size_of_memory(void* user) { return static_cast<PortatuneAudioFile*>(user)->size; }
sf_count_t tell_in_memory(void* user) { return static_cast<PortatuneAudioFile*>(user)->position; }

sf_count_t seek_in_memory(sf_count_t offset, int whence, void* user) {
  PortatuneAudioFile& file = *static_cast<PortatuneAudioFile*>(user);
  const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.position : file.size;
  // A damaged file may ask for any position.
  sf_count_t position = 0;
  if (__builtin_add_overflow(base, offset, &position) || position < 0) return -1;
  return file.position = std::min(position, file.size);
}

sf_count_t read_memory(void* target, sf_count_t count, void* user) {
  PortatuneAudioFile& file = *static_cast<PortatuneAudioFile*>(user);
  count = std::clamp<sf_count_t>(count, 0, file.size - file.position);
  std::copy_n(file.bytes + file.position, count, static_cast<char*>(target));
  file.position += count;
  return count;
}

PortatuneAudioFile* open(const void* bytes, int64_t size, PortatuneAudioFormat* format, PortatuneAudioError* error) {
  return guarded<PortatuneAudioFile*>(error, nullptr, [&] {
    auto file = std::make_unique<PortatuneAudioFile>(bytes, size);
    SF_VIRTUAL_IO memory = {.get_filelen = size_of_memory,
                            .seek = seek_in_memory,
                            .read = read_memory,
                            .write = nullptr,
                            .tell = tell_in_memory};
    // Errors of an opening are in variables of the whole process.
    static std::mutex openings;
    const std::lock_guard lock(openings);
    file->file = sf_open_virtual(&memory, SFM_READ, &file->info, file.get());
    if (file->file == nullptr) throw std::runtime_error(sf_strerror(nullptr));
    const sf_count_t frames = file->info.frames == SF_COUNT_MAX ? -1 : file->info.frames;  // of a FLAC file from a pipe
    *format = {.frames = frames, .rate = file->info.samplerate, .channels = file->info.channels};
    return file.release();
  });
}

void close(PortatuneAudioFile* file) { delete file; }

// The mean in the order of NumPy: the sum in float32, then the division.
float mean_of_frame(const float* frame, int channels) {
  float sum = frame[0];
  for (int channel = 1; channel < channels; ++channel) sum += frame[channel];
  return sum / static_cast<float>(channels);
}

int64_t read(PortatuneAudioFile* file, int64_t frames, float* target, PortatuneAudioError* error) {
  return guarded<int64_t>(error, -1, [&] {
    const int channels = file->info.channels;
    sf_count_t count = 0;
    if (channels == 1) {
      count = sf_readf_float(file->file, target, frames);
    } else {
      file->frames.resize(static_cast<size_t>(frames) * static_cast<size_t>(channels));
      count = sf_readf_float(file->file, file->frames.data(), frames);
      const float* samples = file->frames.data();
      if (channels == 2) {  // with a constant number the loop becomes vector instructions
        for (sf_count_t i = 0; i < count; ++i) target[i] = mean_of_frame(samples + 2 * i, 2);
      } else {
        for (sf_count_t i = 0; i < count; ++i) target[i] = mean_of_frame(samples + i * channels, channels);
      }
    }
    if (sf_error(file->file) != SF_ERR_NO_ERROR) throw std::runtime_error(sf_strerror(file->file));
    return static_cast<int64_t>(count);
  });
}

// ---- resampling

struct DeleteResampler {
  void operator()(soxr_t resampler) const { soxr_delete(resampler); }
};

void check(soxr_error_t error) {
  if (error != nullptr) throw std::runtime_error(error);
}

// Blocks keep the memory of libsoxr small, whose time for one call grows faster than its input.
int64_t resample(const float* samples, int64_t count, int32_t from, int32_t to, float* target, int64_t capacity,
                 PortatuneAudioError* error) {
  constexpr int64_t kBlock = 1 << 15;
  return guarded<int64_t>(error, -1, [&] {
    soxr_error_t failed = nullptr;
    const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
    const std::unique_ptr<soxr, DeleteResampler> resampler(
        soxr_create(from, to, 1, &failed, nullptr, &quality, nullptr));
    check(failed);
    int64_t taken = 0, made = 0;
    for (bool is_flushed = false; !is_flushed && made < capacity;) {
      size_t used = 0, given = 0;
      const float* in = taken < count ? samples + taken : nullptr;
      check(soxr_process(resampler.get(), in, static_cast<size_t>(std::min(kBlock, count - taken)), &used,
                         target + made, static_cast<size_t>(capacity - made), &given));
      taken += static_cast<int64_t>(used);
      made += static_cast<int64_t>(given);
      is_flushed = in == nullptr && given == 0;
    }
    return made;
  });
}

const PortatuneAudioApi kApi = {kPortatuneAudioVersion, open, close, read, resample};

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* portatune_audio_api(void) { return &kApi; }
